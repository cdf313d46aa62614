// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites one regular expression from Oniguruma's syntax to ICU's: the state
// that OnigurumaPattern.cpp (structure) and OnigurumaClasses.cpp (escapes and
// [...]) share.

#ifndef HEDDLE_TEXT_ONIGURUMATRANSLATOR_H
#define HEDDLE_TEXT_ONIGURUMATRANSLATOR_H

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unicode/uniset.h>
#include <vector>

namespace heddle::text {

// What ICU's regular expression has at most, in bytes. A set such as \w takes
// 14,000; patterns of known tokenizers take up to 150,000.
inline constexpr size_t longestResult = 1 << 20;

inline bool isOneOf(char character, std::string_view characters) {
  return characters.find(character) != std::string_view::npos;
}

/// The number that all of `digits` are; none if they are no such number.
inline std::optional<uint32_t> numberOf(std::string_view digits, int base) {
  uint32_t number;
  const char *end = digits.data() + digits.size();
  auto [rest, code] = std::from_chars(digits.data(), end, number, base);
  if (code != std::errc() || rest != end)
    return std::nullopt;
  return number;
}

/// What is in front of the first `separator` and behind it.
inline std::pair<std::string_view, std::string_view>
splitAt(std::string_view text, char separator) {
  size_t place = text.find(separator);
  if (place == std::string_view::npos)
    return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

class OnigurumaTranslator {
public:
  OnigurumaTranslator(std::string_view expression, const std::string &where)
      : text(expression), where(where) {}

  std::string run();

private:
  /// An escape: one character, or a set.
  struct Escape {
    std::optional<char32_t> character;
    icu::UnicodeSet set;
  };
  /// What is between [ or [^ and ].
  struct Class {
    icu::UnicodeSet set;
    bool negated;
  };

  Escape parseEscape(bool inClass);
  Escape parseProperty(bool negative, bool inClass);
  Escape parseCodePoint(char kind);
  void parseBackslash();
  void parseLiteral(char32_t character);
  void parseOpening();
  void parseClosing();
  void parseQuantifier();
  void parseInterval();
  Class parseClass();
  void parseSet();
  void parseClassItem(icu::UnicodeSet &set, bool first);
  bool parseBracket(icu::UnicodeSet &set);
  Escape parseClassCharacter();

  bool atEnd() const { return position == text.size(); }
  std::string_view rest() const { return text.substr(position); }
  /// The next bytes, for a message.
  std::string next(size_t count) const {
    return std::string(cutAtCharacter(rest(), count));
  }
  bool startsWith(std::string_view token) const {
    return rest().substr(0, token.size()) == token;
  }
  bool consume(std::string_view token) {
    if (!startsWith(token))
      return false;
    position += token.size();
    return true;
  }
  [[noreturn]] void fail(const std::string &message) const {
    throw Failure(where + ": cannot use the expression '" + std::string(text) +
                  "': " + message);
  }
  void append(const std::string &written) {
    result += written;
    if (result.size() > longestResult)
      fail("expected fewer sets of characters");
  }
  /// Appends something that a quantifier may follow.
  void atom(const std::string &written) {
    atomBegin = result.size();
    append(written);
  }
  /// Appends something that no quantifier may follow.
  void nonAtom(const std::string &written) {
    append(written);
    atomBegin = std::nullopt;
  }

  std::string_view text;
  const std::string &where;
  size_t position = 0;
  std::string result;
  /// A parenthesis in `result` that is still open.
  struct Group {
    size_t begin;
    /// Whether it is left for good once it has matched.
    bool atomic;
    /// Whether case is ignored behind it.
    bool ignoreCaseBehind;
  };
  /// A character or set in `result` that is repeated; no group.
  struct Loop {
    size_t begin;
    size_t end;
  };
  void countLoops(size_t begin);

  std::vector<Group> groups;
  std::vector<Loop> loops;
  /// Where in `result` that begins which a quantifier would repeat.
  std::optional<size_t> atomBegin;
  unsigned classDepth = 0;
  bool ignoreCase = false;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_ONIGURUMATRANSLATOR_H
