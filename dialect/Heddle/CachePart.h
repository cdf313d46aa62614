// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_CACHEPART_H
#define HEDDLE_DIALECT_HEDDLE_CACHEPART_H

namespace heddle {

/// A part of the memory of one layer of a cache. Scales are those of i8.
enum class CachePart { Keys, Values, KeyScales, ValueScales };

/// The largest scale of i8 elements: 127 times it is an f32, which of the
/// largest f32 divided by 127, rounded up, is not so.
inline constexpr float kLargestCacheScale = 0x1.020406p+121f;

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_CACHEPART_H
