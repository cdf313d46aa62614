// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Words of lines of a width, as Python's textwrap has them.

#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

using Characters = std::u32string;
using View = std::u32string_view;

// Of ASCII alone: textwrap breaks at no other white space.
static bool isBreak(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r');
}

static bool isPunctuation(char32_t code) {
  return isWordCharacter(code) || View(U"!\"'&.,?").find(code) != View::npos;
}

/// \w without digits and "_" is a letter for hyphens: [^\d\W] has "_".
static bool isHyphenated(char32_t code) {
  return isWordCharacter(code) && decimalValue(code) < 0;
}

namespace {

/// Cuts a line where it may be broken: white space, words, parts of words with
/// a hyphen, dashes.
class Cutter {
public:
  explicit Cutter(View line) : line(line) {}

  size_t endOfChunk(size_t begin) const {
    size_t end = begin;
    if (isBreak(line[begin])) {
      while (end < line.size() && isBreak(line[end]))
        ++end;
      return end;
    }
    // "--" between words
    if (begin > 0 && isPunctuation(line[begin - 1]))
      if (size_t dash = endOfDash(begin); dash != View::npos)
        return dash;
    // The shortest word that something ends.
    for (end = begin + 1; end < line.size() && !isBreak(line[end]); ++end) {
      if (endsAtHyphen(end))
        return end + 1;
      if (isPunctuation(line[end - 1]) && endOfDash(end) != View::npos)
        return end;
    }
    return end;
  }

private:
  // -{2,} in front of a character of words
  size_t endOfDash(size_t at) const {
    size_t end = at;
    while (end < line.size() && line[end] == '-')
      ++end;
    bool isDash =
        end >= at + 2 && end < line.size() && isWordCharacter(line[end]);
    return isDash ? end : View::npos;
  }

  bool isLetterAt(size_t at) const {
    return at < line.size() && isHyphenated(line[at]);
  }

  // A hyphen at `at` behind two letters, or a letter, a hyphen and a letter;
  // in front of two letters, between which may be a hyphen.
  bool endsAtHyphen(size_t at) const {
    if (line[at] != '-')
      return false;
    bool isBehind = (at >= 2 && isLetterAt(at - 1) && isLetterAt(at - 2)) ||
                    (at >= 3 && isLetterAt(at - 1) && line[at - 2] == '-' &&
                     isLetterAt(at - 3));
    size_t next = at + 2;
    next += next < line.size() && line[next] == '-';
    return isBehind && isLetterAt(at + 1) && isLetterAt(next);
  }

  View line;
};

} // namespace

static std::vector<View> chunksOf(Context &context, View line,
                                  bool breaksAtHyphens) {
  std::vector<View> chunks;
  Cutter cutter(line);
  for (size_t begin = 0; begin < line.size();) {
    size_t end = begin;
    if (breaksAtHyphens)
      end = cutter.endOfChunk(begin);
    else
      while (end < line.size() && isBreak(line[end]) == isBreak(line[begin]))
        ++end;
    chunks.push_back(line.substr(begin, end - begin));
    context.addWork(sizeof(View));
    begin = end;
  }
  return chunks;
}

static bool isWhite(View chunk) {
  return std::all_of(chunk.begin(), chunk.end(), isSpace);
}

/// What of a chunk that is longer than a line fits into `room`.
static size_t sizeOfPart(View chunk, size_t room, bool breaksAtHyphens) {
  if (!breaksAtHyphens || chunk.size() <= room)
    return room;
  size_t hyphen = chunk.substr(0, room).rfind('-');
  bool hasMore = hyphen != View::npos && hyphen > 0 &&
                 chunk.substr(0, hyphen).find_first_not_of('-') != View::npos;
  return hasMore ? hyphen + 1 : room;
}

std::vector<std::string> jinja::wrapWords(Context &context,
                                          const std::string &line,
                                          int64_t givenWidth, bool breaksWords,
                                          bool breaksAtHyphens) {
  context.addWork(4 * line.size());
  Characters characters = charactersIn(line);
  std::vector<View> chunks = chunksOf(context, characters, breaksAtHyphens);
  std::reverse(chunks.begin(), chunks.end());
  auto width = size_t(givenWidth);
  std::vector<std::string> lines;
  while (!chunks.empty()) {
    context.addWork(sizeof(std::string));
    std::vector<View> taken;
    size_t size = 0;
    if (!lines.empty() && isWhite(chunks.back()))
      chunks.pop_back();
    while (!chunks.empty() && size + chunks.back().size() <= width) {
      taken.push_back(chunks.back());
      size += chunks.back().size();
      chunks.pop_back();
    }
    if (!chunks.empty() && chunks.back().size() > width) {
      View &next = chunks.back();
      if (breaksWords) {
        size_t part = sizeOfPart(next, width - size, breaksAtHyphens);
        taken.push_back(next.substr(0, part));
        next.remove_prefix(taken.back().size());
        if (next.empty())
          chunks.pop_back();
      } else if (taken.empty()) {
        taken.push_back(next);
        chunks.pop_back();
      }
    }
    if (!taken.empty() && isWhite(taken.back()))
      taken.pop_back();
    if (taken.empty())
      continue;
    std::string text;
    for (View chunk : taken)
      text += toUtf8(chunk);
    lines.push_back(text);
  }
  return lines;
}
