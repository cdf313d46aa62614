// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller of an entry point sees: its sizes and arguments.

#ifndef HEDDLE_COMPILER_CODEGEN_SIGNATURE_H
#define HEDDLE_COMPILER_CODEGEN_SIGNATURE_H

#include "compiler/CodeGen/EntryPlan.h"

#include "mlir/IR/SymbolTable.h"

namespace heddle {

/// The names of an argument and of a result of `function` in C: heddle.name, or
/// "argument0", "result0".
std::string argumentName(mlir::func::FuncOp function, unsigned index);
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// Fills in name, symbols and arguments of `entry`: first those of `function`,
/// then an output for each tensor that it returns.
mlir::LogicalResult planSignature(mlir::func::FuncOp function,
                                  mlir::SymbolTable &kernels, EntryPlan &entry);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_SIGNATURE_H
