// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on sizes, and the sizes of values. See Sizes.td.

#ifndef HEDDLE_DIALECT_HEDDLE_SIZES_H
#define HEDDLE_DIALECT_HEDDLE_SIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace heddle {

class SizeAttr;
class SizesAttr;

/// Kernels count rows, extents and strides with 32 bits. What tiles and chunks
/// of keys add past the last one has to fit, too.
inline constexpr int64_t kLargestCount = INT32_MAX - 4095;

enum class SizeKind {
  Number,   ///< number
  Symbol,   ///< name
  FloorDiv, ///< of two operands, as the four below
  CeilDiv,
  Mod,
  Min,
  Max,
  Product, ///< number times two or more operands, or one where number is not 1
  Sum,     ///< number plus two or more operands, or one where number is not 0
};

/// One size for each dimension; null where nothing is known of it.
using Sizes = llvm::SmallVector<SizeAttr, 4>;

SizeAttr operator+(SizeAttr a, SizeAttr b);
SizeAttr operator-(SizeAttr a, SizeAttr b);
SizeAttr operator*(SizeAttr a, SizeAttr b);
SizeAttr operator*(SizeAttr a, int64_t b);
/// Quotients are rounded down or up, whatever the signs; a remainder has the
/// sign of the divisor.
SizeAttr floorDiv(SizeAttr a, SizeAttr b);
SizeAttr ceilDiv(SizeAttr a, SizeAttr b);
SizeAttr ceilDiv(SizeAttr a, int64_t b);
SizeAttr mod(SizeAttr a, SizeAttr b);
SizeAttr min(SizeAttr a, SizeAttr b);
SizeAttr max(SizeAttr a, SizeAttr b);
/// `a`, raised to a multiple of `b`.
SizeAttr roundUp(SizeAttr a, int64_t b);
/// The size of what has dimensions of sizes `a` and `b` broadcast together
/// (NumPy's rule): `max(a, b) * min(a, b, 1)`, or what that is of numbers.
SizeAttr broadcastOf(SizeAttr a, SizeAttr b);
/// The sizes that `size` is `broadcastOf`; itself where it is of no others.
Sizes broadcastOperands(SizeAttr size);
/// How far apart elements of a dimension of `size` are where it is broadcast: 0
/// where it is 1, and 1 elsewhere.
SizeAttr broadcastStride(SizeAttr size);
/// The product of all; 1 of none.
SizeAttr product(mlir::MLIRContext *context, llvm::ArrayRef<SizeAttr> sizes);

/// The summands of a size that is a sum, or the size itself.
Sizes termsOf(SizeAttr size);
/// The number and the other factors of a product.
std::pair<int64_t, Sizes> factorsOf(SizeAttr size);

/// Whether `size` is at least 0 where symbols are at least what `leastOf` says
/// of their names, as far as this can tell.
bool isNeverNegative(SizeAttr size,
                     llvm::function_ref<int64_t(llvm::StringRef)> leastOf);
/// The same where every symbol is at least `least`.
bool isNeverNegative(SizeAttr size, int64_t least);

/// The elements of an array of sizes, and the other way round.
Sizes toSizes(mlir::ArrayAttr sizes);
mlir::ArrayAttr toArray(mlir::MLIRContext *context,
                        llvm::ArrayRef<SizeAttr> sizes);

/// The sizes of all dimensions of a tensor, or [batch, capacity] of a cache.
Sizes sizesOf(mlir::Type type);
Sizes sizesOf(mlir::Value value);

/// `type` with these sizes: dimensions whose size is a number are static, and
/// the others have it in the type's encoding, if all are known. Of types
/// without sizes, the type itself.
mlir::Type withSizes(mlir::Type type, llvm::ArrayRef<SizeAttr> sizes);
mlir::RankedTensorType tensorOf(llvm::ArrayRef<SizeAttr> sizes,
                                mlir::Type elementType);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_SIZES_H
