// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of elements that tensors of GGUF files have. Most are blocks of
// integers q with scales s of groups, and what is subtracted, m:
//
//   y[i] = s[i / group] * q[i] - m[i / group]
//
// Each part of such a block is a tensor of its own here, exact in its type.
// (ggml's ggml-common.h and ggml-quants.c say what a block is.)

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_BLOCKFORMATS_H
#define HEDDLE_COMPILER_IMPORT_GGUF_BLOCKFORMATS_H

#include "compiler/Import/TensorSource.h"

namespace heddle {

/// Endings of the names of a tensor's parts: "W.codes" of "W".
inline constexpr llvm::StringLiteral kCodesEnd = ".codes",
                                     kScalesEnd = ".scales",
                                     kMinimumsEnd = ".minimums";

/// A type of ggml's.
struct BlockFormat {
  uint32_t number; ///< in files
  llvm::StringLiteral name;
  int64_t elements;   ///< of a block; 1 for elements that are not in blocks
  int64_t blockBytes; ///< or those of an element
  /// Of elements that are not in blocks, if Heddle has the type.
  std::optional<heddle_type> type;
  BlockPart codes, scales, minimums; ///< of blocks
  /// Integers fit 4 bits, of which they may take that sign.
  bool isHalfByte = false;

  bool isBlocked() const { return codes.decode; }
  bool hasMinimums() const { return minimums.decode; }
  int64_t group() const { return elements / scales.elements; }
};

/// Null for a type that is not known.
const BlockFormat *findBlockFormat(uint32_t number);
const BlockFormat *findBlockFormat(llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_BLOCKFORMATS_H
