// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What elements of tensors may be: everything that lies in memory, such as
// arguments, results, weights and what one kernel hands to another, is of these
// types. Inside of a kernel scalars may have others.

#ifndef HEDDLE_DIALECT_HEDDLE_ELEMENTTYPES_H
#define HEDDLE_DIALECT_HEDDLE_ELEMENTTYPES_H

#include "runtime/heddle_abi.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// A type of elements, and what others call it.
struct ElementType {
  mlir::Type (*get)(mlir::MLIRContext *);
  heddle_type type;               ///< in descriptions of compiled models
  uint8_t code, bits;             ///< in heddle_buffer
  llvm::StringLiteral checkpoint; ///< in safetensors
  llvm::StringLiteral c;          ///< in C, where some are bits
};

/// All of them, each once.
llvm::ArrayRef<ElementType> elementTypes();
/// The one that is `type`, or null.
const ElementType *findElementType(mlir::Type type);
/// The one that descriptions call `type`, or null.
const ElementType *findElementType(heddle_type type);

/// The types, for messages about others.
inline constexpr llvm::StringLiteral kElementTypes =
    "f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, "
    "ui32, ui64 or i1";

/// Whether an integer is of those that weights alone have, two of them in a
/// byte (StoredWeights.h). Bodies of heddle.generic have it as i8.
inline bool isHalfByte(mlir::Type type) {
  return mlir::isa<mlir::IntegerType>(type) &&
         type.getIntOrFloatBitWidth() == 4;
}

inline bool isElementType(mlir::Type type) {
  return findElementType(type) && !isHalfByte(type);
}

/// Whether weights may have such elements.
inline bool isWeightElementType(mlir::Type type) {
  return findElementType(type);
}

/// Whether a float is only stored, and becomes f32 to be computed with.
inline bool isStorageFloat(mlir::Type type) {
  return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Whether elements of this type are computed with.
inline bool isComputedType(mlir::Type type) {
  return isElementType(type) && !isStorageFloat(type);
}

/// Whether `arith` computes with scalars of this type, which have no sign.
inline bool isScalarType(mlir::Type type) {
  return isComputedType(type) && !type.isUnsignedInteger();
}

/// Whether an element counts from 0: an unsigned integer, or an i1.
inline bool isNeverNegative(mlir::Type type) {
  return type.isUnsignedInteger() || type.isSignlessInteger(1);
}

/// The scalar that bodies of heddle.generic have for an element of this type:
/// integers without a sign, as `arith` has them, of at least 8 bits.
inline mlir::Type scalarTypeOf(mlir::Type element) {
  if (isHalfByte(element))
    return mlir::IntegerType::get(element.getContext(), 8);
  if (element.isUnsignedInteger())
    return mlir::IntegerType::get(element.getContext(),
                                  element.getIntOrFloatBitWidth());
  return element;
}
/// A constant of that type for a constant element.
mlir::TypedAttr scalarOf(mlir::TypedAttr element);

/// The bytes of an element in memory, where no two share one. An i1 takes one,
/// which is 0 or 1.
inline int64_t bytesOfElement(mlir::Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Whether numbers of this type may be ids, lengths and positions.
inline bool isIndexType(mlir::Type type) {
  return type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_ELEMENTTYPES_H
