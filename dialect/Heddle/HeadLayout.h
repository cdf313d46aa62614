// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_HEADLAYOUT_H
#define HEDDLE_DIALECT_HEDDLE_HEADLAYOUT_H

#include "dialect/Heddle/Sizes.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// What the dimensions of an operand of attention are, or of its output.
struct HeadLayout {
  llvm::SmallVector<unsigned> batches; ///< of sequences, the first outermost
  std::optional<unsigned> head; ///< none where channels are those of all heads
  unsigned length = 0, channel = 0;

  /// Whether `dimensions`, an array of AttentionDimAttr or null, has a length
  /// and the channels once, and heads at most once.
  static bool isValid(mlir::ArrayAttr dimensions);
  /// As `dimensions` says, an array of AttentionDimAttr with a length and the
  /// channels.
  static HeadLayout of(mlir::ArrayAttr dimensions);
  /// [batch, length, heads * channels], or, of four dimensions, [batch, heads,
  /// length, channels].
  static HeadLayout ofRank(int64_t rank);

  unsigned getRank() const { return batches.size() + (head ? 3 : 2); }
  bool operator==(const HeadLayout &other) const {
    return batches == other.batches && head == other.head &&
           length == other.length && channel == other.channel;
  }
};

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_HEADLAYOUT_H
