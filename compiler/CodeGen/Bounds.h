// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which products of sizes a call has to check, as kernels count with 32 bits.

#ifndef HEDDLE_COMPILER_CODEGEN_BOUNDS_H
#define HEDDLE_COMPILER_CODEGEN_BOUNDS_H

#include "compiler/CodeGen/EntryPlan.h"

#include "mlir/IR/SymbolTable.h"

namespace heddle {

/// Fills in the bounds of `entry`, which has everything else: those that the
/// largest sizes would break. What even the smallest break is an error.
mlir::LogicalResult planBounds(mlir::func::FuncOp function,
                               mlir::SymbolTable &kernels, EntryPlan &entry);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_BOUNDS_H
