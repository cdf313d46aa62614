// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/SplitBehavior.h"

#include <algorithm>

using namespace heddle::text;

SplitBehavior heddle::text::parseBehavior(const Fields &fields) {
  std::string name = fields.text("behavior");
  if (name == "Removed")
    return SplitBehavior::Removed;
  if (name == "Isolated")
    return SplitBehavior::Isolated;
  if (name == "MergedWithPrevious")
    return SplitBehavior::MergedWithPrevious;
  if (name == "MergedWithNext")
    return SplitBehavior::MergedWithNext;
  if (name == "Contiguous")
    return SplitBehavior::Contiguous;
  fields.fail("behavior", "Removed, Isolated, MergedWithPrevious, "
                          "MergedWithNext or Contiguous");
}

/// Joins each match to the neighbour behind which (in the order of `ranges`) it
/// comes, unless that is a match as well.
static std::vector<TextRange>
mergeMatches(const std::vector<SplitRange> &ranges) {
  std::vector<TextRange> merged;
  bool previousMatches = false;
  for (const SplitRange &range : ranges) {
    if (range.matches && !previousMatches && !merged.empty())
      merged.back() = {std::min(merged.back().begin, range.begin),
                       std::max(merged.back().end, range.end)};
    else
      merged.push_back(range);
    previousMatches = range.matches;
  }
  return merged;
}

static std::vector<TextRange> applyBehavior(std::vector<SplitRange> ranges,
                                            SplitBehavior behavior) {
  std::vector<TextRange> result;
  switch (behavior) {
  case SplitBehavior::MergedWithPrevious:
    return mergeMatches(ranges);
  case SplitBehavior::MergedWithNext:
    std::reverse(ranges.begin(), ranges.end());
    result = mergeMatches(ranges);
    std::reverse(result.begin(), result.end());
    return result;
  case SplitBehavior::Contiguous: {
    bool previousMatches = false;
    for (const SplitRange &range : ranges) {
      if (range.matches == previousMatches && !result.empty())
        result.back().end = range.end;
      else
        result.push_back(range);
      previousMatches = range.matches;
    }
    break;
  }
  case SplitBehavior::Removed:
  case SplitBehavior::Isolated:
    for (const SplitRange &range : ranges)
      if (!range.matches || behavior == SplitBehavior::Isolated)
        result.push_back(range);
    break;
  }
  return result;
}

std::vector<std::string> heddle::text::cut(std::string_view text,
                                           std::vector<SplitRange> ranges,
                                           SplitBehavior behavior) {
  std::vector<std::string> pieces;
  for (TextRange range : applyBehavior(std::move(ranges), behavior))
    pieces.emplace_back(range.of(text));
  return pieces;
}
