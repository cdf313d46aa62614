// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Parts.h"

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

/// The word that `text`, which begins with one, begins with; or ends with.
static std::string_view outerWord(std::string_view text, bool atEnd) {
  size_t size = 0;
  while (size < text.size()) {
    size_t begin = atEnd ? text.size() - size - 1 : size;
    while (atEnd && begin > 0 && (text[begin] & 0xc0) == 0x80)
      --begin;
    size_t end = begin;
    if (isSpace(nextCharacter(text, end)))
      break;
    size = atEnd ? text.size() - begin : end;
  }
  return text.substr(atEnd ? text.size() - size : 0, size);
}

std::vector<std::string_view> jinja::splitAtSpace(std::string_view text,
                                                  size_t limit, bool fromEnd) {
  std::vector<std::string_view> parts;
  while (!(text = stripSpace(text, !fromEnd, fromEnd)).empty()) {
    if (parts.size() == limit) {
      parts.push_back(text);
      break;
    }
    std::string_view word = outerWord(text, fromEnd);
    parts.push_back(word);
    if (fromEnd)
      text.remove_suffix(word.size());
    else
      text.remove_prefix(word.size());
  }
  if (fromEnd)
    std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> jinja::splitAt(std::string_view text,
                                             std::string_view separator,
                                             size_t limit, bool fromEnd) {
  std::vector<std::string_view> parts;
  // From the end, both are searched backwards.
  std::string given(text), wanted(separator);
  if (fromEnd) {
    std::reverse(given.begin(), given.end());
    std::reverse(wanted.begin(), wanted.end());
  }
  auto add = [&](size_t begin, size_t end) {
    parts.push_back(fromEnd ? text.substr(text.size() - end, end - begin)
                            : text.substr(begin, end - begin));
  };
  size_t at = 0;
  while (parts.size() < limit) {
    size_t found = findPart(given, wanted, at);
    if (found == std::string_view::npos)
      break;
    add(at, found);
    at = found + wanted.size();
  }
  add(at, given.size());
  if (fromEnd)
    std::reverse(parts.begin(), parts.end());
  return parts;
}

size_t jinja::findLastPart(std::string_view text, std::string_view part) {
  std::string given(text.rbegin(), text.rend());
  std::string wanted(part.rbegin(), part.rend());
  size_t found = findPart(given, wanted);
  return found == std::string_view::npos ? found
                                         : text.size() - found - part.size();
}

bool jinja::replaceParts(std::string_view text, std::string_view from,
                         std::string_view to, size_t limit, size_t longest,
                         std::string &result) {
  size_t at = 0;
  for (size_t count = 0; count < limit && result.size() <= longest; ++count) {
    size_t found = findPart(text, from, at);
    if (found == std::string_view::npos)
      break;
    result.append(text.substr(at, found - at)).append(to);
    at = found + from.size();
    // An empty text is found in front of each character, and at the end.
    if (!from.empty())
      continue;
    if (at >= text.size())
      return result.size() <= longest;
    nextCharacter(text, at);
    result.append(text.substr(found, at - found));
  }
  result.append(text.substr(at));
  return result.size() <= longest;
}
