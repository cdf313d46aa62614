// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of ops, of kernels and of what they are formed from.

#ifndef HEDDLE_DIALECT_HEDDLE_KERNELATTRIBUTES_H
#define HEDDLE_DIALECT_HEDDLE_KERNELATTRIBUTES_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Marks kernel arguments that are weights.
inline constexpr llvm::StringLiteral kWeightAttr = "heddle.weight";

/// Of a heddle.generic: the op of the model that it was made of, for names.
inline constexpr llvm::StringLiteral kOriginAttr = "heddle.origin";

/// Of a heddle.generic: it chooses matrices, y[t, ..] = all[ids[t], ..], as the
/// columns of a contraction that has t in common with them.
inline constexpr llvm::StringLiteral kChoiceAttr = "heddle.choice";

/// Of a layer: the fewest bits of numbers that its matrices may become.
inline constexpr llvm::StringLiteral kLeastBitsAttr = "heddle.least_bits";

/// Of heddle.attention with products of bf16: it multiplies pairs of keys and
/// of values as they lie in the cache (heddle-pack-attention).
inline constexpr llvm::StringLiteral kPairsAttr = "heddle.pairs";

/// Of a pipeline: its results below 2^-126 may be 0.
inline constexpr llvm::StringLiteral kFlushAttr = "heddle.flush_subnormals";

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_KERNELATTRIBUTES_H
