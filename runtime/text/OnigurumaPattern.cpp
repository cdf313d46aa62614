// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites regular expressions from Oniguruma's syntax to ICU's.
//
// The two look alike, but \s, \w, \v, \h, \b, $, [a&&b], {1,3}+ and what (?i)
// does to sets differ in meaning. So nothing is passed on as it stands: each
// construct is read by Oniguruma's rules (its doc/RE, version 6.9, syntax
// ONIG_SYNTAX_ONIGURUMA, no options) and written in a form that has one meaning
// in ICU: sets as all of their characters. What the patterns of tokenizers have
// no use for (back references, named groups, callouts) is an error.

#include "runtime/text/Failure.h"
#include "runtime/text/OnigurumaSets.h"
#include "runtime/text/SplitPattern.h"
#include "runtime/text/Utf8.h"

#include <charconv>
#include <optional>
#include <unicode/uchar.h>

using namespace heddle::text;

// What ICU's regular expression has at most, in bytes. A set such as \w takes
// 14,000; patterns of known tokenizers take up to 150,000.
static constexpr size_t longestResult = 1 << 20;

static icu::UnicodeSet complement(icu::UnicodeSet set) {
  set.complement();
  return set;
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
} // namespace

/// \p{name}, \p{^name} and \P{name}.
OnigurumaTranslator::Escape OnigurumaTranslator::parseProperty(bool negative,
                                                               bool inClass) {
  if (!consume("{"))
    fail("expected '{' after \\p");
  negative ^= consume("^");
  std::string name(splitAt(rest(), '}').first);
  if (name.size() == rest().size())
    fail("expected '}' after \\p{");
  position += name.size() + 1;
  std::optional<icu::UnicodeSet> set = onigurumaProperty(name, inClass);
  if (!set)
    fail("the property '" + name + "' is not supported");
  return {std::nullopt, negative ? complement(*set) : *set};
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

/// What follows a backslash.
OnigurumaTranslator::Escape OnigurumaTranslator::parseEscape(bool inClass) {
  if (atEnd())
    fail("expected a character after \\");
  char32_t letter = nextCharacter(text, position);
  if (letter >= 0x80 || !isAlphanumeric(letter))
    return {letter, {}};
  switch (letter) {
  case 'd':
  case 'D':
  case 's':
  case 'S':
  case 'w':
  case 'W':
  case 'h':
  case 'H': {
    bool negative = letter < 'a';
    char lower = char(negative ? letter - 'A' + 'a' : letter);
    icu::UnicodeSet set = *onigurumaProperty(lower == 'd'   ? "digit"
                                             : lower == 's' ? "space"
                                             : lower == 'w' ? "word"
                                                            : "xdigit",
                                             inClass);
    return {std::nullopt, negative ? complement(set) : set};
  }
  case 'p':
  case 'P':
    return parseProperty(letter == 'P', inClass);
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

/// Characters that stand for themselves, the first of which was read. Where
/// case is ignored, several can match one, as "ss" matches a sharp s. So they
/// are kept together, but for one that is repeated.
void OnigurumaTranslator::parseLiteral(char32_t character) {
  if (!ignoreCase)
    return atom(writeLiteral(character));
  std::u32string run = {character};
  bool newCase = hasNewCase(character);
  auto isOrdinary = [&](size_t place) {
    return place < text.size() && !isOneOf(text[place], "\\()[|.^$*+?{");
  };
  while (isOrdinary(position)) {
    size_t end = position;
    char32_t next = nextCharacter(text, end);
    if (end < text.size() && isOneOf(text[end], "*+?{"))
      break;
    run += next;
    newCase |= hasNewCase(next);
    position = end;
  }
  if (newCase || run.size() == 1) {
    for (char32_t one : run)
      atom(writeSetIgnoringCase(icu::UnicodeSet(UChar32(one), UChar32(one)),
                                false));
    return;
  }
  std::string written = "(?i:";
  for (char32_t one : run)
    written += writeLiteral(one);
  nonAtom(written + ")");
}

/// A backslash outside of [...], where there are assertions as well.
void OnigurumaTranslator::parseBackslash() {
  if (startsWith("b") || startsWith("B")) {
    std::string word = writeSet(*onigurumaProperty("word", false));
    if (consume("b"))
      return nonAtom("(?:(?<=" + word + ")(?!" + word + ")|(?<!" + word +
                     ")(?=" + word + "))");
    consume("B");
    return nonAtom("(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" +
                   word + "))");
  }
  if (consume("A"))
    return nonAtom("\\A");
  if (consume("z"))
    return nonAtom("\\z");
  Escape escape = parseEscape(/*inClass=*/false);
  if (escape.character)
    return parseLiteral(*escape.character);
  // Without regard to case, also where that is ignored.
  atom(writeSet(escape.set));
}

OnigurumaTranslator::Escape OnigurumaTranslator::parseClassCharacter() {
  if (consume("\\"))
    return consume("b") ? Escape{'\b', {}} : parseEscape(/*inClass=*/true);
  if (atEnd())
    fail("expected ']'");
  return {nextCharacter(text, position), {}};
}

/// [:name:] and [:^name:]; false where there is none.
bool OnigurumaTranslator::parseBracket(icu::UnicodeSet &set) {
  size_t end = rest().find(":]");
  if (!startsWith("[:") || end == std::string_view::npos || end < 2)
    return false;
  std::string name(rest().substr(2, end - 2));
  bool negative = name.substr(0, 1) == "^";
  std::optional<icu::UnicodeSet> named =
      onigurumaBracket(name.substr(negative));
  if (!named)
    fail("the POSIX bracket [:" + name.substr(0, 16) + ":] is not supported");
  set.addAll(negative ? complement(*named) : *named);
  position += end + 2;
  return true;
}

/// One item of a class: an escape, a POSIX bracket, a nested class, a character
/// or a range.
void OnigurumaTranslator::parseClassItem(icu::UnicodeSet &set, bool first) {
  if (parseBracket(set))
    return;
  if (consume("[")) {
    // The recursion needs a limit; the patterns of tokenizers nest once or
    // twice.
    if (classDepth == 16)
      fail("expected less nesting of [...]");
    ++classDepth;
    Class nested = parseClass();
    --classDepth;
    set.addAll(nested.negated ? complement(nested.set) : nested.set);
    return;
  }
  if (startsWith("-") && !first && !startsWith("-]"))
    fail("expected '-' at an end of [...] or between characters");
  Escape low = parseClassCharacter();
  if (!startsWith("-") || startsWith("-]")) {
    if (low.character)
      set.add(UChar32(*low.character));
    else
      set.addAll(low.set);
    return;
  }
  consume("-");
  constexpr const char *expected = "expected a range of characters in [...]";
  if (startsWith("["))
    fail(expected);
  Escape high = parseClassCharacter();
  if (!low.character || !high.character || *low.character > *high.character)
    fail(expected);
  set.add(UChar32(*low.character), UChar32(*high.character));
}

/// [...], after the bracket. && binds less than the union beside it, and ^ less
/// than both.
OnigurumaTranslator::Class OnigurumaTranslator::parseClass() {
  bool negated = consume("^");
  if (startsWith("]"))
    fail("expected a character in [...]");
  icu::UnicodeSet all(0, UCHAR_MAX_VALUE), operand;
  bool isEmpty = true;
  auto endOperand = [&] {
    if (isEmpty)
      fail("expected a character beside && in [...]");
    all.retainAll(operand);
    operand.clear();
    isEmpty = true;
  };
  for (bool first = true; !consume("]"); first = false) {
    if (consume("&&")) {
      endOperand();
      continue;
    }
    parseClassItem(operand, first);
    isEmpty = false;
  }
  endOperand();
  return {std::move(all), negated};
}

/// [...] as a whole, after the bracket.
void OnigurumaTranslator::parseSet() {
  auto [set, negated] = parseClass();
  if (ignoreCase)
    return atom(writeSetIgnoringCase(std::move(set), negated));
  atom(writeSet(negated ? complement(std::move(set)) : std::move(set)));
}

/// What follows an opening parenthesis. Nothing refers to a group, so that one
/// that captures need not.
void OnigurumaTranslator::parseOpening() {
  groups.push_back({result.size(), false, ignoreCase});
  if (!consume("?"))
    return nonAtom("(?:");
  for (const char *kind : {":", "=", "!", ">", "<=", "<!"})
    if (consume(kind)) {
      groups.back().atomic = isOneOf(kind[0], "=!><");
      return nonAtom(std::string("(?") + kind);
    }
  for (const char *kind : {"i:", "-i:"})
    if (consume(kind)) {
      ignoreCase = kind[0] == 'i';
      return nonAtom("(?:");
    }
  // Elsewhere it would make a group of what follows, alternatives included.
  if (result.empty() && consume("i)")) {
    groups.pop_back();
    ignoreCase = true;
    return;
  }
  fail("the group '(?" + next(8) + "' is not supported");
}

void OnigurumaTranslator::parseClosing() {
  if (groups.empty())
    fail("expected '(' before ')'");
  Group group = groups.back();
  groups.pop_back();
  ignoreCase = group.ignoreCaseBehind;
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
      parseSet();
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
      parseLiteral(character);
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
