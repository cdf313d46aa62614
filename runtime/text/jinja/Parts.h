// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Texts in parts: at white space, at a text, or where one is found.

#ifndef HEDDLE_TEXT_JINJA_PARTS_H
#define HEDDLE_TEXT_JINJA_PARTS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text::jinja {

/// As str.split() and, `fromEnd`, str.rsplit(): at most `limit` cuts, the first
/// or the last ones.
std::vector<std::string_view> splitAtSpace(std::string_view text, size_t limit,
                                           bool fromEnd);
std::vector<std::string_view> splitAt(std::string_view text,
                                      std::string_view separator, size_t limit,
                                      bool fromEnd);
/// As str.rfind(), in bytes, in linear time; npos for nowhere.
size_t findLastPart(std::string_view text, std::string_view part);
/// As str.replace(): at most `limit` times. It may be long, which `longest`
/// bounds: nothing that is longer comes back.
bool replaceParts(std::string_view text, std::string_view from,
                  std::string_view to, size_t limit, size_t longest,
                  std::string &result);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_PARTS_H
