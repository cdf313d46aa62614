// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What values of a graph are.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_VALUES_H
#define HEDDLE_COMPILER_TEXTENTRIES_VALUES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// A number that all elements of a constant or a broadcast one are, or null.
mlir::Attribute splatOf(mlir::Value value);
bool isZero(mlir::Attribute number);

mlir::Value withoutCasts(mlir::Value value);

/// Whether the results have an operand's elements, in any shape or type, and
/// no others.
bool isView(mlir::Operation *op);

/// The operand that a result has the elements of, if it is one of a view.
mlir::Value viewedBy(mlir::Value value);

/// "node 'encoder/MatMul'"
std::string nodeOf(mlir::Operation *op);

/// Whether `op`, or one inside of it, reads one of them.
bool readsAny(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &values);

/// Values of a function that follow from its arguments, but for `known` ones.
llvm::DenseSet<mlir::Value> dataOf(mlir::func::FuncOp function,
                                   llvm::ArrayRef<mlir::Value> known);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_VALUES_H
