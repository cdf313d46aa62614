// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file of heddle.configure ops replaces.

#ifndef HEDDLE_COMPILER_TARGET_REPLACEMENTS_H
#define HEDDLE_COMPILER_TARGET_REPLACEMENTS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

struct Replacements {
  using ByName = llvm::MapVector<mlir::StringAttr, ConfigureOp>;

  mlir::OwningOpRef<mlir::ModuleOp> source;
  ByName kernels; ///< configurations
  ByName weights; ///< layouts

  /// Reads `file`; without a name there is nothing. Reports what cannot be
  /// read, and names that stand twice.
  static mlir::FailureOr<Replacements> read(mlir::MLIRContext *context,
                                            llvm::StringRef file);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TARGET_REPLACEMENTS_H
