// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of contractions share, for a CPU and for devices: which
// loops of an output are the rows and the columns of its sums.

#ifndef HEDDLE_COMPILER_SCHEDULE_PRODUCTDIMENSIONS_H
#define HEDDLE_COMPILER_SCHEDULE_PRODUCTDIMENSIONS_H

#include "compiler/Schedule/Scheduler.h"

namespace heddle {

class ProductDimensions {
protected:
  ProductDimensions(Scheduler &s, halide::OutputOp output,
                    halide::FuncOp accumulator);

  static llvm::SmallVector<llvm::StringRef> names(mlir::ArrayAttr list);
  /// The extent of a variable of the output.
  SizeAttr extentOf(llvm::StringRef variable);
  /// The variables of the output that are neither rows nor columns.
  llvm::SmallVector<llvm::StringRef> others();

  Scheduler &s;
  halide::FuncOp func; ///< the output's
  llvm::StringRef name;
  halide::FuncOp
      accumulator; ///< one of the sums; others have tiles of its shape
  llvm::SmallVector<halide::FuncOp> inside;
  /// Of the output and of the sums; rows are empty where there are none.
  llvm::StringRef column, row, sumColumn, sumRow;
  /// Of the output: the one of `others` along which matrices of columns are
  /// chosen; empty if none are.
  llvm::StringRef choice;

private:
  /// The variable of the output that stands for one of the sums.
  llvm::StringRef inOutput(llvm::StringRef sumVariable);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_SCHEDULE_PRODUCTDIMENSIONS_H
