// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: what inference and verifiers of layers ask of
// shapes.

#ifndef HEDDLE_DIALECT_HEDDLE_LAYERSHAPES_H
#define HEDDLE_DIALECT_HEDDLE_LAYERSHAPES_H

#include "dialect/Heddle/HeddleDialect.h"

#include <limits>

namespace heddle {

inline int64_t channels(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape().back();
}

/// Inference, which runs before operands are verified, may ask for a dimension
/// that is not there.
inline int64_t extent(mlir::Value value, unsigned dim) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return dim < type.getRank() ? type.getDimSize(dim)
                              : mlir::ShapedType::kDynamic;
}

/// The size of dimension `dim` of `value`, which may not be there: see extent.
inline SizeAttr sizeOf(mlir::Value value, unsigned dim) {
  Sizes sizes = sizesOf(value);
  return dim < sizes.size() ? sizes[dim] : SizeAttr();
}

/// The sizes of `input` with the last one replaced.
inline Sizes withChannels(mlir::Value input, SizeAttr channels) {
  Sizes sizes = sizesOf(input);
  if (!sizes.empty())
    sizes.back() = channels;
  return sizes;
}

inline mlir::LogicalResult expectElements(mlir::Operation *op,
                                          llvm::StringRef name, int64_t found,
                                          int64_t expected) {
  if (found == expected)
    return mlir::success();
  return op->emitOpError("expected ")
         << name << " of " << expected << " elements, found " << found;
}

inline mlir::LogicalResult expectChannels(mlir::Operation *op,
                                          llvm::StringRef name,
                                          mlir::Value value, int64_t expected) {
  return expectElements(op, name, channels(value), expected);
}

/// Checks that `value`, which is static, has this shape.
inline mlir::LogicalResult expectShape(mlir::Operation *op,
                                       llvm::StringRef name, mlir::Value value,
                                       llvm::ArrayRef<int64_t> expected) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  if (type.getShape() == expected)
    return mlir::success();
  return op->emitOpError("expected ")
         << name << " of shape [" << expected << "], found " << type;
}

inline mlir::LogicalResult verifyEpsilon(mlir::Operation *op,
                                         const llvm::APFloat &value) {
  double epsilon = value.convertToDouble();
  if (epsilon >= 0 && epsilon <= std::numeric_limits<float>::max())
    return mlir::success();
  return op->emitOpError(
             "expected an epsilon from 0 to the largest f32, found ")
         << epsilon;
}

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_LAYERSHAPES_H
