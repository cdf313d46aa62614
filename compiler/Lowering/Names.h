// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that the lowering writes and later stages read.

#ifndef HEDDLE_COMPILER_LOWERING_NAMES_H
#define HEDDLE_COMPILER_LOWERING_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {
/// The nested module that holds the pipelines, named as their kernels. No
/// function can have its name, which is no C identifier.
inline constexpr llvm::StringLiteral kPipelinesModule = "heddle.pipelines";
/// Marks halide.params that count sequences, not tokens, and no number larger
/// than a tile: what has so many rows is scheduled for decoding.
inline constexpr llvm::StringLiteral kFewRowsAttr = "heddle.few_rows";
} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_NAMES_H
