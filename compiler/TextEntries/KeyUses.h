// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses of keys and values: a cache holds more than there are, which attention
// alone leaves out.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_KEYUSES_H
#define HEDDLE_COMPILER_TEXTENTRIES_KEYUSES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Checks that whatever has a dimension of `capacity` keys, and depends on
/// arguments, keeps them apart, but for the softmaxes `masked`, whose weights
/// are 0 where there is no key, and products that these weights multiply.
/// `presents` append keys. Types have sizes. An error names the node that does
/// something else.
llvm::Error checkKeyUses(mlir::func::FuncOp function, llvm::StringRef capacity,
                         const llvm::DenseSet<mlir::Operation *> &masked,
                         const llvm::DenseSet<mlir::Operation *> &presents);

/// A number that all elements of a constant or a broadcast one are, or null.
mlir::Attribute splatOf(mlir::Value value);
bool isZero(mlir::Attribute number);
/// "node 'encoder/MatMul'"
std::string nodeOf(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_KEYUSES_H
