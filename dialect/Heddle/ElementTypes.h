// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What elements of tensors may be: everything that lies in memory, such as
// arguments, results, weights and what one kernel hands to another, is of these
// types. Inside of a kernel scalars may have others.

#ifndef HEDDLE_DIALECT_HEDDLE_ELEMENTTYPES_H
#define HEDDLE_DIALECT_HEDDLE_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// The types, for messages about others.
inline constexpr llvm::StringLiteral kElementTypes =
    "f32, bf16, f16, i8, i32, i64 or i1";

inline bool isElementType(mlir::Type type) {
  return type.isF32() || type.isBF16() || type.isF16() ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64) || type.isSignlessInteger(1);
}

/// The bytes of an element in memory. An i1 takes one, which is 0 or 1.
inline int64_t bytesOfElement(mlir::Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Whether numbers of this type may be ids, lengths and positions.
inline bool isIndexType(mlir::Type type) {
  return type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_ELEMENTTYPES_H
