// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of a call whose caller does not name them all.

#ifndef HEDDLE_COMPILER_SUPPORT_USUALSIZES_H
#define HEDDLE_COMPILER_SUPPORT_USUALSIZES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// A size that the caller of an entry point chooses.
struct ChosenSize {
  llvm::StringRef name;
  bool isBatch;
  int64_t least, most;
};

/// A value of each of `symbols`: the one that is `given` by name, or 1 of a
/// batch, or else the largest of those given, or 512, within what it may be.
/// Fails where a given one is not. `entry` is named in the error.
llvm::Expected<llvm::SmallVector<int64_t>>
usualSizes(llvm::StringRef entry, llvm::ArrayRef<ChosenSize> symbols,
           const std::map<std::string, int64_t> &given);

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_USUALSIZES_H
