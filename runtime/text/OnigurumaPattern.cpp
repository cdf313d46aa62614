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

#include "runtime/text/OnigurumaSets.h"
#include "runtime/text/OnigurumaTranslator.h"
#include "runtime/text/SplitPattern.h"

using namespace heddle::text;

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
