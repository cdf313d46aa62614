// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The funcs that sum up a contraction, and what they tell a schedule for CPUs.

#ifndef HEDDLE_COMPILER_SCHEDULE_PRODUCTSUMS_H
#define HEDDLE_COMPILER_SCHEDULE_PRODUCTSUMS_H

#include "compiler/Schedule/Scheduler.h"

namespace heddle {

class ProductSums {
public:
  /// Of `funcs`, those of one output. A func without an update is no sum.
  ProductSums(const Scheduler &s, llvm::ArrayRef<halide::FuncOp> funcs)
      : s(s), funcs(funcs) {}

  llvm::SmallVector<llvm::StringRef> reductionVars(halide::FuncOp sums) const;

  /// A number of the func's kTileAttr, such as how many terms in a row are a
  /// group; other reductions than contractions have none.
  static mlir::IntegerAttr tileNumber(halide::FuncOp sums,
                                      llvm::StringRef what);

  /// The func that adds up `sums`, if they are sums of blocks.
  halide::FuncOp foldOf(halide::FuncOp sums) const;
  /// Whether a func adds up the sums of blocks.
  bool addsBlocks(halide::FuncOp sums) const;
  /// Whether an output has more sums than registers hold. Rows that it takes
  /// one after the other find their sums in memory, and those that are added up
  /// keep the registers.
  bool areSeveral() const;

  /// Whether tile registers of the CPU can add up `sums`: bytes or pairs of
  /// bf16, of panels that are not too wide, in blocks that are not short.
  bool fitTileRegisters(halide::FuncOp sums) const;
  /// The sums of blocks that `sums` adds up.
  halide::FuncOp blocksOf(halide::FuncOp sums) const;

  /// How many steps the outermost loop of a sum's terms has.
  int64_t stepsOf(halide::FuncOp sums) const;
  /// From how many places of the depth one row takes those steps in turn, or 1.
  int64_t placesOf(halide::FuncOp sums) const;

private:
  int64_t termsOf(halide::FuncOp sums) const;
  int64_t bytesOfStep(halide::FuncOp sums) const;

  const Scheduler &s;
  llvm::ArrayRef<halide::FuncOp> funcs;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_SCHEDULE_PRODUCTSUMS_H
