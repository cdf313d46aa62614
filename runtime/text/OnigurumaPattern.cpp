// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites regular expressions from Oniguruma's syntax to ICU's.
//
// The two look alike, but \s, \w, \v, \h, \b, $, [a&&b] and {1,3}+ differ in
// meaning. So nothing is passed on as it stands: each construct is read by
// Oniguruma's rules (its doc/RE, version 6.9, syntax ONIG_SYNTAX_ONIGURUMA, no
// options) and written in a form that has one meaning in ICU. What the patterns
// of tokenizers have no use for (back references, named groups, callouts) is an
// error.

#include "runtime/text/Failure.h"
#include "runtime/text/SplitPattern.h"
#include "runtime/text/Utf8.h"

#include <charconv>
#include <optional>
#include <unicode/uchar.h>

using namespace heddle::text;

static constexpr const char *wordClass =
    "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]";

static std::string literal(char32_t character) {
  char digits[8];
  char *end =
      std::to_chars(digits, std::end(digits), uint32_t(character), 16).ptr;
  return "\\x{" + std::string(digits, end) + "}";
}

static bool isOneOf(char character, std::string_view characters) {
  return characters.find(character) != std::string_view::npos;
}

static bool isAlphanumeric(char character) {
  return (character >= '0' && character <= '9') ||
         (character >= 'A' && character <= 'Z') ||
         (character >= 'a' && character <= 'z');
}

static bool isHexDigit(char character) {
  return isOneOf(character, "0123456789abcdefABCDEF");
}

/// The number that all of `digits` are; none if they are no such number.
static std::optional<uint32_t> numberOf(std::string_view digits, int base) {
  uint32_t number;
  const char *end = digits.data() + digits.size();
  auto [rest, code] = std::from_chars(digits.data(), end, number, base);
  if (code != std::errc() || rest != end)
    return std::nullopt;
  return number;
}

/// What is in front of the first `separator` and behind it.
static std::pair<std::string_view, std::string_view>
splitAt(std::string_view text, char separator) {
  size_t place = text.find(separator);
  if (place == std::string_view::npos)
    return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

namespace {
class OnigurumaTranslator {
public:
  OnigurumaTranslator(std::string_view expression, const std::string &where)
      : text(expression), where(where) {}

  std::string run();

private:
  /// An escape: one character, or a set in ICU's syntax.
  struct Escape {
    std::optional<char32_t> character;
    std::string set;
  };

  Escape parseEscape();
  Escape parseProperty(bool negative);
  Escape parseCodePoint(char kind);
  void parseBackslash();
  void parseOpening();
  void parseClosing();
  void parseQuantifier();
  void parseInterval();
  std::string parseClass();
  std::string parseClassItem(bool first);
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
  /// Appends something that a quantifier may follow.
  void atom(const std::string &written) {
    atomBegin = result.size();
    result += written;
  }
  /// Appends something that no quantifier may follow.
  void nonAtom(const std::string &written) {
    result += written;
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
};
} // namespace

/// \p{name}: a general category by its short name, or a script.
OnigurumaTranslator::Escape OnigurumaTranslator::parseProperty(bool negative) {
  if (!consume("{"))
    fail("expected '{' after \\p");
  negative ^= consume("^");
  std::string name(splitAt(rest(), '}').first);
  if (name.size() == rest().size())
    fail("expected '}' after \\p{");
  position += name.size() + 1;
  auto isValueOf = [&](UProperty property) {
    return u_getPropertyValueEnum(property, name.c_str()) != UCHAR_INVALID_CODE;
  };
  std::string written;
  if (name.size() <= 2 && isValueOf(UCHAR_GENERAL_CATEGORY_MASK))
    written = "gc=" + name;
  else if (name.size() > 2 && isValueOf(UCHAR_SCRIPT))
    written = "script=" + name;
  else
    fail("the property '" + name + "' is not supported");
  return {std::nullopt, (negative ? "\\P{" : "\\p{") + written + "}"};
}

/// \xHH, \x{H...} and \uHHHH, after the letter `kind`.
OnigurumaTranslator::Escape OnigurumaTranslator::parseCodePoint(char kind) {
  bool braces = kind == 'x' && consume("{");
  size_t most = braces ? std::string_view::npos : kind == 'x' ? 2 : 4;
  size_t count = 0;
  while (count < most && count < rest().size() && isHexDigit(rest()[count]))
    ++count;
  std::string digits(rest().substr(0, count));
  position += count;
  if (braces && !consume("}"))
    fail("expected one code point in \\x{...}");
  if (!braces && count != most)
    fail(std::string("expected more digits after \\") + kind);
  std::optional<uint32_t> character = numberOf(digits, 16);
  if (!character || !U_IS_UNICODE_CHAR(*character))
    fail("expected a character, got the code point '" + digits + "'");
  // Beyond ASCII \xHH is a byte of UTF-8, not a character.
  if (kind == 'x' && !braces && *character >= 0x80)
    fail("the byte \\x" + digits + " is not supported");
  return {*character, {}};
}

/// What follows a backslash, with one meaning inside and outside of [...].
OnigurumaTranslator::Escape OnigurumaTranslator::parseEscape() {
  if (atEnd())
    fail("expected a character after \\");
  char32_t letter = nextCharacter(text, position);
  if (letter >= 0x80 || !isAlphanumeric(letter))
    return {letter, {}};
  switch (letter) {
  case 'd':
    return {std::nullopt, "\\p{Nd}"};
  case 'D':
    return {std::nullopt, "\\P{Nd}"};
  case 's':
    return {std::nullopt, "\\p{White_Space}"};
  case 'S':
    return {std::nullopt, "\\P{White_Space}"};
  case 'w':
    return {std::nullopt, wordClass};
  case 'W':
    return {std::nullopt, "[^" + std::string(wordClass) + "]"};
  case 'p':
  case 'P':
    return parseProperty(letter == 'P');
  case 'x':
  case 'u':
    return parseCodePoint(letter);
  default:
    break;
  }
  static constexpr std::string_view controls = "tnrfvae";
  size_t index = controls.find(letter);
  if (index == std::string_view::npos)
    fail(std::string("\\") + char(letter) + " is not supported");
  return {"\t\n\r\f\v\a\x1B" [index], {}};
}

/// A backslash outside of [...], where there are assertions as well.
void OnigurumaTranslator::parseBackslash() {
  std::string word = wordClass;
  if (consume("b"))
    return nonAtom("(?:(?<=" + word + ")(?!" + word + ")|(?<!" + word +
                   ")(?=" + word + "))");
  if (consume("B"))
    return nonAtom("(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" +
                   word + "))");
  if (consume("A"))
    return nonAtom("\\A");
  if (consume("z"))
    return nonAtom("\\z");
  Escape escape = parseEscape();
  atom(escape.character ? literal(*escape.character) : escape.set);
}

OnigurumaTranslator::Escape OnigurumaTranslator::parseClassCharacter() {
  if (consume("\\"))
    return consume("b") ? Escape{'\b', {}} : parseEscape();
  if (atEnd())
    fail("expected ']'");
  return {nextCharacter(text, position), {}};
}

/// One item of a class: an escape, a nested class, a character or a range.
std::string OnigurumaTranslator::parseClassItem(bool first) {
  if (startsWith("[:"))
    fail("the POSIX bracket [:...:] is not supported");
  if (consume("[")) {
    // The recursion needs a limit; the patterns of tokenizers nest once or
    // twice.
    if (classDepth == 16)
      fail("expected less nesting of [...]");
    ++classDepth;
    std::string nested = parseClass();
    --classDepth;
    return nested;
  }
  if (startsWith("-") && !first && !startsWith("-]"))
    fail("expected '-' at an end of [...] or between characters");
  Escape low = parseClassCharacter();
  std::string item = low.character ? literal(*low.character) : low.set;
  if (!startsWith("-") || startsWith("-]"))
    return item;
  consume("-");
  constexpr const char *expected = "expected a range of characters in [...]";
  if (startsWith("["))
    fail(expected);
  Escape high = parseClassCharacter();
  if (!low.character || !high.character || *low.character > *high.character)
    fail(expected);
  return item + "-" + literal(*high.character);
}

/// [...], after the bracket. Each operand of && gets its own brackets, as only
/// the order of the operators differs.
std::string OnigurumaTranslator::parseClass() {
  std::string set = consume("^") ? "[^[" : "[[";
  if (startsWith("]"))
    fail("expected a character in [...]");
  size_t operandBegin = set.size();
  auto checkOperand = [&] {
    if (set.size() == operandBegin)
      fail("expected a character beside && in [...]");
  };
  for (bool first = true; !consume("]"); first = false) {
    if (!consume("&&")) {
      set += parseClassItem(first);
      continue;
    }
    checkOperand();
    set += "]&&[";
    operandBegin = set.size();
  }
  checkOperand();
  return set + "]]";
}

/// What follows an opening parenthesis. Nothing refers to a group, so that one
/// that captures need not.
void OnigurumaTranslator::parseOpening() {
  groups.push_back({result.size(), false});
  if (!consume("?"))
    return nonAtom("(?:");
  for (const char *kind : {":", "=", "!", ">", "<=", "<!", "i:", "-i:"})
    if (consume(kind)) {
      groups.back().atomic = isOneOf(kind[0], "=!><");
      return nonAtom(std::string("(?") + kind);
    }
  // Elsewhere it would make a group of what follows, alternatives included.
  if (result.empty() && consume("i)")) {
    groups.pop_back();
    return nonAtom("(?i)");
  }
  fail("the group '(?" + next(8) + "' is not supported");
}

void OnigurumaTranslator::parseClosing() {
  if (groups.empty())
    fail("expected '(' before ')'");
  Group group = groups.back();
  groups.pop_back();
  if (group.atomic)
    countLoops(group.begin);
  nonAtom(")");
  atomBegin = group.begin;
}

/// Makes the steps of the loops from `begin` on count, by putting parentheses
/// around what they repeat. ICU runs through a set without counting: that is
/// made up for where it gives back what it took, one by one, but not where the
/// whole is kept or dropped at once.
void OnigurumaTranslator::countLoops(size_t begin) {
  while (!loops.empty() && loops.back().begin >= begin) {
    result.insert(loops.back().end, ")");
    result.insert(loops.back().begin, "(?:");
    loops.pop_back();
  }
}

/// {n}, {n,} and {n,m}, after the brace.
void OnigurumaTranslator::parseInterval() {
  std::string_view inside = splitAt(rest(), '}').first;
  auto [lowText, highText] = splitAt(inside, ',');
  bool fixed = inside.find(',') == std::string_view::npos;
  bool open = !inside.empty() && inside.back() == ',';
  std::optional<uint32_t> low = numberOf(lowText, 10);
  std::optional<uint32_t> high = fixed || open ? low : numberOf(highText, 10);
  if (inside.size() == rest().size() || !low || !high || *high < *low)
    fail("expected {n}, {n,} or {n,m}, got '{" +
         std::string(cutAtCharacter(inside, 16)) + "'");
  position += inside.size() + 1;
  std::string interval = "{" + std::string(inside) + "}";
  if (!fixed && consume("?"))
    return nonAtom(interval + "?");
  result += interval;
  // A further quantifier repeats the whole, other than after ?, * and +.
  if (!atEnd() && isOneOf(rest().front(), "+?*{")) {
    countLoops(*atomBegin);
    result.insert(*atomBegin, "(?:");
    result += ")";
    return;
  }
  atomBegin = std::nullopt;
}

void OnigurumaTranslator::parseQuantifier() {
  if (!atomBegin)
    fail("expected something to repeat before '" + next(1) + "'");
  if (consume("{"))
    return parseInterval();
  std::string quantifier = next(1);
  ++position;
  if (consume("?")) {
    quantifier += "?";
  } else if (consume("+")) {
    quantifier += "+";
    countLoops(*atomBegin);
  } else if (result[*atomBegin] != '(') {
    loops.push_back({*atomBegin, result.size()});
  }
  nonAtom(quantifier);
}

std::string OnigurumaTranslator::run() {
  while (!atEnd()) {
    if (isOneOf(rest().front(), "*+?{")) {
      parseQuantifier();
      continue;
    }
    char32_t character = nextCharacter(text, position);
    switch (character) {
    case '\\':
      parseBackslash();
      break;
    case '(':
      parseOpening();
      break;
    case ')':
      parseClosing();
      break;
    case '[':
      atom(parseClass());
      break;
    case '|':
      nonAtom("|");
      break;
    case '.':
      atom("[^\\x{A}]");
      break;
    case '^':
      // Behind each line's end, but not at the end of the text.
      nonAtom("(?:\\A|(?<=\\x{A})(?!\\z))");
      break;
    case '$':
      nonAtom("(?:(?=\\x{A})|\\z)");
      break;
    default:
      atom(literal(character));
      break;
    }
  }
  if (!groups.empty())
    fail("expected ')'");
  return std::move(result);
}

std::string heddle::text::translateOniguruma(std::string_view expression,
                                             const std::string &where) {
  return OnigurumaTranslator(expression, where).run();
}
