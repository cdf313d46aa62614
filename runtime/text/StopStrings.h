// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Texts that end a continuation and are no part of it.

#ifndef HEDDLE_TEXT_STOPSTRINGS_H
#define HEDDLE_TEXT_STOPSTRINGS_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::text {

/// Holds text back while it may be the beginning of a stop string.
class StopStrings {
public:
  explicit StopStrings(std::vector<std::string> stops = {})
      : stops(std::move(stops)) {}

  /// What of the text so far can be shown: all in front of the first stop
  /// string, or of what may become one.
  std::string push(std::string_view text);
  /// Whether a stop string was there.
  bool isStopped() const { return stopped; }
  /// What is held back, at the end of the text.
  std::string finish() { return std::exchange(held, ""); }

private:
  std::vector<std::string> stops;
  std::string held;
  bool stopped = false;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_STOPSTRINGS_H
