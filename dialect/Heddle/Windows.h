// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of convolutions and poolings.

#ifndef HEDDLE_DIALECT_HEDDLE_WINDOWS_H
#define HEDDLE_DIALECT_HEDDLE_WINDOWS_H

#include "dialect/Heddle/Sizes.h"

namespace heddle {

/// Windows along one dimension of the input: tap k of window p is
/// element `p * stride + k * dilation - low`.
struct Window {
  int64_t taps, stride, dilation;
  /// How far windows reach past both ends of the input.
  int64_t low, high;

  /// From a window's first tap to its last.
  int64_t span() const { return dilation * (taps - 1); }
  /// The farthest that a window may begin behind the first one; null where
  /// `length`, the input's size, is.
  SizeAttr reach(SizeAttr length) const;
  /// How many windows there are; null where `length` is.
  SizeAttr count(SizeAttr length) const;
  /// Their number for a known length; not positive where a window does not fit.
  int64_t count(int64_t length) const;
};

/// Those of the dimensions after the channels.
using Windows = llvm::SmallVector<Window, 2>;

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_WINDOWS_H
