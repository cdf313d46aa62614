// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Escapes and [...] of Oniguruma's expressions.

#include "runtime/text/OnigurumaSets.h"
#include "runtime/text/OnigurumaTranslator.h"

#include <algorithm>
#include <unicode/uchar.h>

using namespace heddle::text;

static icu::UnicodeSet complement(icu::UnicodeSet set) {
  set.complement();
  return set;
}

static bool isAlphanumeric(char character) {
  return (character >= '0' && character <= '9') ||
         (character >= 'A' && character <= 'Z') ||
         (character >= 'a' && character <= 'z');
}

static bool isHexDigit(char character) {
  return isOneOf(character, "0123456789abcdefABCDEF");
}

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

OnigurumaTranslator::Escape OnigurumaTranslator::parseClassCharacter() {
  if (consume("\\"))
    return consume("b") ? Escape{'\b', {}} : parseEscape(/*inClass=*/true);
  if (atEnd())
    fail("expected ']'");
  return {nextCharacter(text, position), {}};
}

/// [:name:] and [:^name:]; false where there is none.
bool OnigurumaTranslator::parseBracket(icu::UnicodeSet &set) {
  size_t end = rest().find(']');
  if (!startsWith("[:") || end == std::string_view::npos ||
      rest()[end - 1] != ':')
    return false;
  std::string name(rest().substr(2, std::max<size_t>(end, 3) - 3));
  bool negative = name.substr(0, 1) == "^";
  std::optional<icu::UnicodeSet> named =
      onigurumaBracket(name.substr(negative));
  if (!named)
    fail("the POSIX bracket [:" + name.substr(0, 16) + ":] is not supported");
  set.addAll(negative ? complement(*named) : *named);
  position += end + 1;
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
