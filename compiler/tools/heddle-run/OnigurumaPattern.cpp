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

#include "compiler/tools/heddle-run/SplitPattern.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>
#include <unicode/uchar.h>

using namespace llvm;
using namespace heddle;

static constexpr StringRef wordClass = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]";

static std::string literal(char32_t character) {
  return "\\x{" + utohexstr(character) + "}";
}

namespace {
class OnigurumaTranslator {
public:
  explicit OnigurumaTranslator(StringRef expression) : text(expression) {}

  Expected<std::string> run();

private:
  /// An escape: one character, or a set in ICU's syntax.
  struct Escape {
    std::optional<char32_t> character;
    std::string set;
  };

  bool parseEscape(Escape &escape);
  bool parseProperty(bool negative, Escape &escape);
  bool parseCodePoint(char kind, Escape &escape);
  bool parseBackslash();
  bool parseOpening();
  bool parseQuantifier();
  bool parseInterval();
  bool parseClass(std::string &set);
  bool parseClassItem(std::string &operand, bool first);

  bool atEnd() const { return position == text.size(); }
  StringRef rest() const { return text.substr(position); }
  bool consume(StringRef token) {
    if (!rest().starts_with(token))
      return false;
    position += token.size();
    return true;
  }
  bool fail(const Twine &message) {
    if (error.empty())
      error = message.str();
    return false;
  }
  /// Appends something that a quantifier may follow.
  bool atom(const Twine &written) {
    atomBegin = result.size();
    result += written.str();
    return true;
  }
  /// Appends something that no quantifier may follow.
  bool nonAtom(const Twine &written) {
    result += written.str();
    atomBegin = std::nullopt;
    return true;
  }

  StringRef text;
  size_t position = 0;
  std::string result;
  std::string error;
  /// Where in `result` each open group begins.
  SmallVector<size_t> groups;
  /// Where in `result` that begins which a quantifier would repeat.
  std::optional<size_t> atomBegin;
  unsigned classDepth = 0;
};
} // namespace

/// \p{name}: a general category by its short name, or a script.
bool OnigurumaTranslator::parseProperty(bool negative, Escape &escape) {
  if (!consume("{"))
    return fail("expected '{' after \\p");
  negative ^= consume("^");
  auto [name, after] = rest().split('}');
  std::string property = name.str();
  if (name.size() == rest().size())
    return fail("expected '}' after \\p{");
  position += name.size() + 1;
  std::string written;
  if (name.size() <= 2 &&
      u_getPropertyValueEnum(UCHAR_GENERAL_CATEGORY_MASK, property.c_str()) !=
          UCHAR_INVALID_CODE)
    written = "gc=" + property;
  else if (name.size() > 2 &&
           u_getPropertyValueEnum(UCHAR_SCRIPT, property.c_str()) !=
               UCHAR_INVALID_CODE)
    written = "script=" + property;
  else
    return fail("the property '" + name + "' is not supported");
  escape.set = (negative ? "\\P{" : "\\p{") + written + "}";
  return true;
}

/// \xHH, \x{H...} and \uHHHH, after the letter `kind`.
bool OnigurumaTranslator::parseCodePoint(char kind, Escape &escape) {
  StringRef digits;
  if (kind == 'x' && consume("{")) {
    digits = rest().take_while(isHexDigit);
    position += digits.size();
    if (!consume("}"))
      return fail("expected one code point in \\x{...}");
  } else {
    digits = rest().take_front(kind == 'x' ? 2 : 4).take_while(isHexDigit);
    position += digits.size();
    if (digits.size() != (kind == 'x' ? 2u : 4u))
      return fail(Twine("expected more digits after \\") + Twine(kind));
  }
  uint32_t character;
  if (digits.getAsInteger(16, character) || !U_IS_UNICODE_CHAR(character))
    return fail("expected a character, got the code point '" + digits + "'");
  // Beyond ASCII \xHH is a byte of UTF-8, not a character.
  if (kind == 'x' && text[position - 1] != '}' && character >= 0x80)
    return fail("the byte \\x" + digits + " is not supported");
  escape.character = character;
  return true;
}

/// What follows a backslash, with one meaning inside and outside of [...].
bool OnigurumaTranslator::parseEscape(Escape &escape) {
  if (atEnd())
    return fail("expected a character after \\");
  char32_t letter = nextCharacter(text, position);
  if (letter >= 0x80 || !isAlnum(letter)) {
    escape.character = letter;
    return true;
  }
  switch (letter) {
  case 'd':
    escape.set = "\\p{Nd}";
    return true;
  case 'D':
    escape.set = "\\P{Nd}";
    return true;
  case 's':
    escape.set = "\\p{White_Space}";
    return true;
  case 'S':
    escape.set = "\\P{White_Space}";
    return true;
  case 'w':
    escape.set = wordClass.str();
    return true;
  case 'W':
    escape.set = "[^" + wordClass.str() + "]";
    return true;
  case 'p':
  case 'P':
    return parseProperty(letter == 'P', escape);
  case 'x':
  case 'u':
    return parseCodePoint(letter, escape);
  default:
    break;
  }
  static constexpr StringRef controls = "tnrfvae";
  size_t index = controls.find(letter);
  if (index == StringRef::npos)
    return fail(Twine("\\") + Twine(char(letter)) + " is not supported");
  escape.character = "\t\n\r\f\v\a\x1B"[index];
  return true;
}

/// A backslash outside of [...], where there are assertions as well.
bool OnigurumaTranslator::parseBackslash() {
  std::string word = wordClass.str();
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
  Escape escape;
  if (!parseEscape(escape))
    return false;
  return atom(escape.character ? literal(*escape.character) : escape.set);
}

/// One item of a class: an escape, a nested class, a character or a range.
bool OnigurumaTranslator::parseClassItem(std::string &operand, bool first) {
  auto parseOne = [&](Escape &one) {
    if (consume("\\")) {
      if (consume("b")) {
        one.character = '\b';
        return true;
      }
      return parseEscape(one);
    }
    if (atEnd())
      return fail("expected ']'");
    one.character = nextCharacter(text, position);
    return true;
  };

  if (rest().starts_with("[:"))
    return fail("the POSIX bracket [:...:] is not supported");
  if (consume("[")) {
    // The recursion needs a limit; the patterns of tokenizers nest once or
    // twice.
    if (classDepth == 16)
      return fail("expected less nesting of [...]");
    ++classDepth;
    bool good = parseClass(operand);
    --classDepth;
    return good;
  }
  if (rest().starts_with("-") && !first && !rest().starts_with("-]"))
    return fail("expected '-' at an end of [...] or between characters");
  Escape low;
  if (!parseOne(low))
    return false;
  operand += low.character ? literal(*low.character) : low.set;
  if (!rest().starts_with("-") || rest().starts_with("-]"))
    return true;
  Escape high;
  consume("-");
  if (rest().starts_with("[") || !parseOne(high) || !low.character ||
      !high.character || *low.character > *high.character)
    return fail("expected a range of characters in [...]");
  operand += "-" + literal(*high.character);
  return true;
}

/// [...], after the bracket. Each operand of && gets its own brackets, as only
/// the order of the operators differs.
bool OnigurumaTranslator::parseClass(std::string &set) {
  bool negative = consume("^");
  SmallVector<std::string> operands(1);
  if (rest().starts_with("]"))
    return fail("expected a character in [...]");
  for (bool first = true; !consume("]"); first = false) {
    if (consume("&&"))
      operands.emplace_back();
    else if (!parseClassItem(operands.back(), first))
      return false;
  }
  for (const std::string &operand : operands)
    if (operand.empty())
      return fail("expected a character beside && in [...]");
  set += negative ? "[^[" : "[[";
  set += join(operands, "]&&[") + "]]";
  return true;
}

/// What follows an opening parenthesis. Nothing refers to a group, so that one
/// that captures need not.
bool OnigurumaTranslator::parseOpening() {
  groups.push_back(result.size());
  if (!consume("?"))
    return nonAtom("(?:");
  for (StringRef kind : {":", "=", "!", ">", "<=", "<!", "i:", "-i:"})
    if (consume(kind))
      return nonAtom("(?" + kind);
  // Elsewhere it would make a group of what follows, alternatives included.
  if (result.empty() && consume("i)")) {
    groups.pop_back();
    return nonAtom("(?i)");
  }
  return fail("the group '(?" + rest().take_front(8) + "' is not supported");
}

/// {n}, {n,} and {n,m}, after the brace.
bool OnigurumaTranslator::parseInterval() {
  auto [inside, after] = rest().split('}');
  auto [lowText, highText] = inside.split(',');
  unsigned low = 0, high = 0;
  bool fixed = !inside.contains(',');
  bool open = inside.ends_with(",");
  if (inside.size() == rest().size() || lowText.getAsInteger(10, low) ||
      (!fixed && !open && highText.getAsInteger(10, high)) ||
      (!fixed && !open && high < low))
    return fail("expected {n}, {n,} or {n,m}, got '{" + inside.take_front(16) +
                "'");
  position += inside.size() + 1;
  std::string interval = ("{" + inside + "}").str();
  if (!fixed && consume("?"))
    return nonAtom(interval + "?");
  result += interval;
  // A further quantifier repeats the whole, other than after ?, * and +.
  if (rest().starts_with("+") || rest().starts_with("?") ||
      rest().starts_with("*") || rest().starts_with("{")) {
    result.insert(*atomBegin, "(?:");
    result += ")";
    return true;
  }
  atomBegin = std::nullopt;
  return true;
}

bool OnigurumaTranslator::parseQuantifier() {
  if (!atomBegin)
    return fail("expected something to repeat before '" + rest().take_front(1) +
                "'");
  if (consume("{"))
    return parseInterval();
  std::string quantifier = rest().take_front(1).str();
  ++position;
  if (consume("?"))
    quantifier += "?";
  else if (consume("+"))
    quantifier += "+";
  return nonAtom(quantifier);
}

Expected<std::string> OnigurumaTranslator::run() {
  bool good = true;
  while (good && !atEnd()) {
    if (StringRef("*+?{").contains(rest().front())) {
      good = parseQuantifier();
      continue;
    }
    char32_t character = nextCharacter(text, position);
    switch (character) {
    case '\\':
      good = parseBackslash();
      break;
    case '(':
      good = parseOpening();
      break;
    case ')':
      if (groups.empty()) {
        good = fail("expected '(' before ')'");
        break;
      }
      nonAtom(")");
      atomBegin = groups.pop_back_val();
      break;
    case '[': {
      std::string set;
      good = parseClass(set) && atom(set);
      break;
    }
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
  if (good && !groups.empty())
    fail("expected ')'");
  if (!error.empty())
    return createStringError("cannot use the expression '" + text +
                             "': " + error);
  return result;
}

Expected<std::string> heddle::translateOniguruma(StringRef expression) {
  return OnigurumaTranslator(expression).run();
}
