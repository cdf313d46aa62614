// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_CACHEPART_H
#define HEDDLE_DIALECT_HEDDLE_CACHEPART_H

namespace heddle {

/// A part of the memory of one layer of a cache. Scales are those of i8.
enum class CachePart { Keys, Values, KeyScales, ValueScales };

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_CACHEPART_H
