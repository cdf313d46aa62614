// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which numbers a size lies.

#ifndef HEDDLE_DIALECT_HEDDLE_SIZERANGE_H
#define HEDDLE_DIALECT_HEDDLE_SIZERANGE_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// The smallest and the largest number; what leaves 64 bits stays at their end.
struct SizeRange {
  int64_t least, most;
};

/// A range that holds all values of `size`, given those of its symbols. It may
/// be wider than need be where a symbol occurs twice.
SizeRange rangeOf(SizeAttr size,
                  llvm::function_ref<SizeRange(llvm::StringRef)> rangeOfSymbol);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_SIZERANGE_H
