// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sizes count, and the attributes of kernels.

#ifndef HEDDLE_COMPILER_FUSION_SIZES_H
#define HEDDLE_COMPILER_FUSION_SIZES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/StringSet.h"

namespace heddle {

/// Marks kernel arguments that are weights.
inline constexpr llvm::StringLiteral kWeightAttr = "heddle.weight";

/// Of a heddle.generic: the op of the model that it was made of, for names.
inline constexpr llvm::StringLiteral kOriginAttr = "heddle.origin";

/// Kernels count rows, extents and strides with 32 bits. What tiles and chunks
/// of keys add past the last one has to fit, too.
inline constexpr int64_t kLargestCount = INT32_MAX - 4095;

/// What sizes count, told by where their names stand in the arguments of a
/// function or kernel: tokens are [batch, length, channels], their ids [batch,
/// length], one row a sequence is [batch, channels].
enum class SizeRole { Other, Batch, Length, Capacity };

struct SizeRoles {
  static SizeRoles of(mlir::FunctionOpInterface function);

  SizeRole roleOf(llvm::StringRef size) const;

  llvm::StringSet<> batches;    ///< sequences
  llvm::StringSet<> lengths;    ///< tokens of a sequence
  llvm::StringSet<> capacities; ///< positions of a cache
};

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_SIZES_H
