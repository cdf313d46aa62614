// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What becomes of the matches that a text is cut at.

#ifndef HEDDLE_TEXT_SPLITBEHAVIOR_H
#define HEDDLE_TEXT_SPLITBEHAVIOR_H

#include "runtime/text/Json.h"
#include "runtime/text/SplitPattern.h"

namespace heddle::text {

/// For the text "a--b" and the pattern "-":
enum class SplitBehavior {
  Removed,            // "a" "b"
  Isolated,           // "a" "-" "-" "b"
  MergedWithPrevious, // "a-" "-" "b"
  MergedWithNext,     // "a" "-" "-b"
  Contiguous          // "a" "--" "b"
};

/// The field "behavior".
SplitBehavior parseBehavior(const Fields &fields);

/// The pieces of `text`, of which `ranges` are the matches and what lies
/// between, from its begin to its end.
std::vector<std::string> cut(std::string_view text,
                             std::vector<SplitRange> ranges,
                             SplitBehavior behavior);

} // namespace heddle::text

#endif // HEDDLE_TEXT_SPLITBEHAVIOR_H
