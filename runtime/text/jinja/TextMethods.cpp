// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Methods.h"

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Numbers.h"
#include "runtime/text/jinja/Parts.h"
#include "runtime/text/jinja/Printing.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

struct Call {
  Context &context;
  const std::string &name;
  const std::string &text;
  const Arguments &arguments;
};

using Method = Value (*)(const Call &);

} // namespace

static void expectNone(const Call &call) {
  Parameters none(call.name, call.arguments, {});
}

static Value listOf(const Call &call,
                    const std::vector<std::string_view> &parts) {
  ListBuilder list(call.context);
  for (std::string_view part : parts)
    list.add(Value(std::string(part)));
  return list.takeList();
}

/// A count of Python's, of which negative ones have no end.
static size_t limitOf(int64_t count) {
  return count < 0 ? SIZE_MAX : size_t(count);
}

/// The same, of parts, where a list cannot have more.
static size_t partLimitOf(int64_t count) {
  return std::min(limitOf(count), kMostElements);
}

//===-- parts -------------------------------------------------------------===//

static Value split(const Call &call) {
  Parameters given(call.name, call.arguments, {"sep", "maxsplit"});
  bool fromEnd = call.name == "rsplit";
  size_t limit = partLimitOf(given.integer(1, -1));
  if (!given.find(0) || given.at(0).isNone())
    return listOf(call, splitAtSpace(call.text, limit, fromEnd));
  if (given.text(0).empty())
    throw Refusal{"'" + call.name + "' at an empty text"};
  return listOf(call, splitAt(call.text, given.text(0), limit, fromEnd));
}

static Value splitLines(const Call &call) {
  Parameters given(call.name, call.arguments, {"keepends"});
  return listOf(call, linesOf(call.text, given.flag(0)));
}

static Value partition(const Call &call) {
  Parameters given(call.name, call.arguments, {"sep"}, 1);
  const std::string &separator = given.text(0);
  if (separator.empty())
    throw Refusal{"'" + call.name + "' at an empty text"};
  bool fromEnd = call.name == "rpartition";
  std::vector<std::string_view> parts =
      splitAt(call.text, separator, 1, fromEnd);
  std::string between = parts.size() == 2 ? separator : "";
  if (parts.size() == 1)
    parts.insert(fromEnd ? parts.begin() : parts.end(), "");
  Value first{std::string(parts[0])}, last{std::string(parts[1])};
  // What is not found leaves the text at the side that the search came from.
  return Value::tuple({first, Value(between), last});
}

static Value strip(const Call &call) {
  Parameters given(call.name, call.arguments, {"chars"});
  bool atStart = call.name[0] != 'r', atEnd = call.name[0] != 'l';
  if (!given.find(0) || given.at(0).isNone())
    return Value(std::string(stripSpace(call.text, atStart, atEnd)));
  return Value(std::string(stripSet(call.text, given.text(0), atStart, atEnd)));
}

static Value removeAffix(const Call &call) {
  Parameters given(call.name, call.arguments, {"affix"}, 1);
  const std::string &affix = given.text(0), &text = call.text;
  bool atStart = call.name == "removeprefix";
  bool isThere = text.size() >= affix.size() &&
                 text.compare(atStart ? 0 : text.size() - affix.size(),
                              affix.size(), affix) == 0;
  if (!isThere)
    return Value(text);
  return Value(atStart ? text.substr(affix.size())
                       : text.substr(0, text.size() - affix.size()));
}

//===-- searches ----------------------------------------------------------===//

/// The part of a text between two positions, as find() and others take them.
struct Range {
  Range(const Call &call, const Parameters &given) {
    std::string_view text = call.text;
    if (!given.find(1) && !given.find(2)) {
      part = text;
      return;
    }
    call.context.addWork(sizeof(size_t) * text.size());
    std::vector<size_t> begins = charactersOf(text);
    int64_t count = int64_t(begins.size()) - 1;
    SliceBounds bounds(count, given.optionalInteger(1),
                       given.optionalInteger(2), 1);
    isThere = given.optionalInteger(1).value_or(0) <= count &&
              bounds.begin <= bounds.end;
    first = bounds.begin;
    if (isThere)
      part = text.substr(begins[size_t(first)],
                         begins[size_t(bounds.end)] - begins[size_t(first)]);
  }

  std::string_view part;
  int64_t first = 0;   ///< character of the text
  bool isThere = true; ///< where not, even an empty text is not found
};

static Value find(const Call &call) {
  Parameters given(call.name, call.arguments, {"sub", "start", "end"}, 1);
  Range range(call, given);
  bool fromEnd = call.name[0] == 'r';
  size_t found = fromEnd ? findLastPart(range.part, given.text(0))
                         : findPart(range.part, given.text(0));
  if (range.isThere && found != std::string_view::npos)
    return Value(range.first +
                 int64_t(countCharacters(range.part.substr(0, found))));
  if (call.name == "index" || call.name == "rindex")
    throw Refusal{"'" + call.name + "' does not find " + describe(given.at(0))};
  return Value(int64_t(-1));
}

static Value count(const Call &call) {
  Parameters given(call.name, call.arguments, {"sub", "start", "end"}, 1);
  Range range(call, given);
  const std::string &part = given.text(0);
  if (!range.isThere)
    return Value(int64_t(0));
  if (part.empty())
    return Value(int64_t(countCharacters(range.part)) + 1);
  int64_t result = 0;
  for (size_t at = 0;
       (at = findPart(range.part, part, at)) != std::string_view::npos;
       at += part.size())
    ++result;
  return Value(result);
}

static Value startsOrEnds(const Call &call) {
  Parameters given(call.name, call.arguments, {"affix", "start", "end"}, 1);
  Range range(call, given);
  auto has = [&](const Value &affix) {
    const std::string &other = textOf(affix, call.name);
    std::string_view part = range.part;
    call.context.addWork(std::min(other.size(), part.size()));
    if (!range.isThere || part.size() < other.size())
      return false;
    return call.name == "startswith"
               ? part.substr(0, other.size()) == other
               : part.substr(part.size() - other.size()) == other;
  };
  const Value &affix = given.at(0);
  if (!affix.isSequence() || !affix.sequence().isTuple())
    return Value(has(affix));
  const auto &all = affix.sequence().elements;
  return Value(std::any_of(all.begin(), all.end(), has));
}

//===-- changes -----------------------------------------------------------===//

static Value replace(const Call &call) {
  Parameters given(call.name, call.arguments, {"old", "new", "count"}, 2);
  std::string result;
  if (!replaceParts(call.text, given.text(0), given.text(1),
                    limitOf(given.integer(2, -1)), kMostBytes, result))
    throw Refusal{"a text has more than 16 MiB"};
  return Value(result);
}

template <std::string (*change)(std::string_view)>
static Value changed(const Call &call) {
  expectNone(call);
  return Value(change(call.text));
}

static Value join(const Call &call) {
  Parameters given(call.name, call.arguments, {"iterable"}, 1);
  TextBuilder text(call.context);
  bool isFirst = true;
  for (const Value &element : elementsOf(call.context, given.at(0))) {
    text.add(isFirst ? "" : call.text);
    text.add(textOf(element, "join"));
    isFirst = false;
  }
  return text.takeValue();
}

static Value justify(const Call &call) {
  Parameters given(call.name, call.arguments, {"width", "fillchar"}, 1);
  std::string fill = given.text(1, " ");
  if (countCharacters(fill) != 1)
    throw Refusal{"'" + call.name + "' takes one character, found " +
                  describe(given.at(1))};
  int64_t width = given.integer(0);
  int64_t missing =
      std::max<int64_t>(0, width - int64_t(countCharacters(call.text)));
  // As Python centers: the odd space goes to the side that its width tells.
  int64_t front = call.name == "ljust"   ? 0
                  : call.name == "rjust" ? missing
                                         : missing / 2 + (missing & width & 1);
  TextBuilder text(call.context);
  text.add(size_t(front), fill);
  text.add(call.text);
  text.add(size_t(missing - front), fill);
  return text.takeValue();
}

static Value fillWithZeros(const Call &call) {
  Parameters given(call.name, call.arguments, {"width"}, 1);
  bool hasSign =
      !call.text.empty() && (call.text[0] == '-' || call.text[0] == '+');
  int64_t missing = given.integer(0) - int64_t(countCharacters(call.text));
  TextBuilder text(call.context);
  text.add(call.text.substr(0, hasSign));
  text.add(size_t(std::max<int64_t>(missing, 0)), "0");
  text.add(std::string_view(call.text).substr(hasSign));
  return text.takeValue();
}

static Value expandTabs(const Call &call) {
  Parameters given(call.name, call.arguments, {"tabsize"});
  int64_t size = given.integer(0, 8), column = 0;
  TextBuilder text(call.context);
  for (char c : call.text) {
    if (c == '\t') {
      int64_t missing = size > 0 ? size - column % size : 0;
      text.add(size_t(missing), " ");
      column += missing;
      continue;
    }
    text.add({&c, 1});
    if (c == '\n' || c == '\r')
      column = 0;
    else if ((c & 0xc0) != 0x80)
      ++column;
  }
  return text.takeValue();
}

static Value format(const Call &call) {
  return formatBraces(call.context, call.text, call.arguments);
}

//===-- questions ---------------------------------------------------------===//

template <bool (*predicate)(char32_t)> static Value areAll(const Call &call) {
  expectNone(call);
  std::u32string characters = charactersIn(call.text);
  return Value(!characters.empty() &&
               std::all_of(characters.begin(), characters.end(), predicate));
}

static bool isAlphanumeric(char32_t code) {
  return isLetter(code) || isNumeric(code);
}

static bool isDecimal(char32_t code) { return decimalValue(code) >= 0; }

static Value isAscii(const Call &call) {
  expectNone(call);
  return Value(std::all_of(call.text.begin(), call.text.end(),
                           [](char c) { return (c & 0x80) == 0; }));
}

static Value areAllPrintable(const Call &call) {
  return Value(call.text.empty() || areAll<isPrintable>(call).isTrue());
}

/// Some letter has that case, and none another.
static Value hasCase(const Call &call) {
  expectNone(call);
  bool wantsUpper = call.name == "isupper", isFound = false;
  for (char32_t code : charactersIn(call.text)) {
    if ((wantsUpper ? isLower(code) : isUpper(code)) || isTitle(code))
      return Value(false);
    isFound |= wantsUpper ? isUpper(code) : isLower(code);
  }
  return Value(isFound);
}

static Value isTitled(const Call &call) {
  expectNone(call);
  bool isInside = false, isFound = false;
  for (char32_t code : charactersIn(call.text)) {
    bool isCapital = isUpper(code) || isTitle(code);
    if (isCapital ? isInside : isLower(code) && !isInside)
      return Value(false);
    isInside = isCapital || isLower(code);
    isFound |= isInside;
  }
  return Value(isFound);
}

static Value isName(const Call &call) {
  expectNone(call);
  std::u32string characters = charactersIn(call.text);
  return Value(
      !characters.empty() && beginsName(characters[0]) &&
      std::all_of(characters.begin(), characters.end(), continuesName));
}

//===-- the table ---------------------------------------------------------===//

static const std::map<std::string, Method, std::less<>> &methods() {
  static const std::map<std::string, Method, std::less<>> table = {
      {"capitalize", changed<capitalized>},
      {"casefold", changed<foldOf>},
      {"center", justify},
      {"count", count},
      {"encode", nullptr},
      {"endswith", startsOrEnds},
      {"expandtabs", expandTabs},
      {"find", find},
      {"format", format},
      {"format_map", nullptr},
      {"index", find},
      {"isalnum", areAll<isAlphanumeric>},
      {"isalpha", areAll<isLetter>},
      {"isascii", isAscii},
      {"isdecimal", areAll<isDecimal>},
      {"isdigit", areAll<isDigit>},
      {"isidentifier", isName},
      {"islower", hasCase},
      {"isnumeric", areAll<isNumeric>},
      {"isprintable", areAllPrintable},
      {"isspace", areAll<isSpace>},
      {"istitle", isTitled},
      {"isupper", hasCase},
      {"join", join},
      {"ljust", justify},
      {"lower", changed<lowerOf>},
      {"lstrip", strip},
      {"maketrans", nullptr},
      {"partition", partition},
      {"removeprefix", removeAffix},
      {"removesuffix", removeAffix},
      {"replace", replace},
      {"rfind", find},
      {"rindex", find},
      {"rjust", justify},
      {"rpartition", partition},
      {"rsplit", split},
      {"rstrip", strip},
      {"split", split},
      {"splitlines", splitLines},
      {"startswith", startsOrEnds},
      {"strip", strip},
      {"swapcase", changed<caseSwapped>},
      {"title", changed<titled>},
      {"translate", nullptr},
      {"upper", changed<upperOf>},
      {"zfill", fillWithZeros}};
  return table;
}

static const std::set<std::string, std::less<>> &
namesWith(std::initializer_list<const char *> others,
          std::set<std::string, std::less<>> &names) {
  for (const auto &[name, method] : methods())
    names.insert(name);
  names.insert(others.begin(), others.end());
  return names;
}

const std::set<std::string, std::less<>> &
jinja::textMethodNames(bool ofMarkup) {
  static std::set<std::string, std::less<>> plain, markup;
  static const auto &ofPlain = namesWith({}, plain);
  static const auto &ofMarkups =
      namesWith({"escape", "striptags", "unescape"}, markup);
  return ofMarkup ? ofMarkups : ofPlain;
}

/// Text that is safe stays so.
static Value asMarkup(const Value &result) {
  if (result.isText())
    return Value::markup(result.text());
  if (!result.isSequence())
    return result;
  std::vector<Value> parts;
  for (const Value &part : result.sequence().elements)
    parts.push_back(asMarkup(part));
  return result.sequence().isTuple() ? Value::tuple(std::move(parts))
                                     : Value::list(std::move(parts));
}

/// A text, or the texts of a list, as they stand in HTML.
static Value asSafe(Context &context, const Value &value) {
  if (value.isText())
    return value.isMarkup() ? value : Value(escapeHtml(value.text()));
  if (!isIterable(value))
    return value;
  ListBuilder list(context);
  for (const Value &element : elementsOf(context, value))
    list.add(asSafe(context, element));
  return list.takeList();
}

Value jinja::callTextMethod(Context &context, const std::string &name,
                            const Value &object, const Arguments &arguments) {
  auto found = methods().find(name);
  if (found == methods().end() || !found->second)
    throw Refusal{"the method '" + name + "' of texts is not supported"};
  addWorkOfTexts(context, object, arguments);
  if (!object.isMarkup()) {
    Value result = found->second({context, name, object.text(), arguments});
    context.addWork(result.isText() ? result.text().size() : 0);
    return result;
  }
  if (name == "format")
    throw Refusal{"'format' of a text that is marked safe is not supported"};
  // What comes into the text is safe afterwards.
  static const std::set<std::string> takesText = {
      "center",  "join",  "ljust",      "lstrip", "partition",
      "replace", "rjust", "rpartition", "rstrip", "strip"};
  Arguments escaped = arguments;
  if (takesText.count(name))
    for (Value &argument : escaped.values) {
      bool isAny = name == "partition" || name == "rpartition";
      argument = asSafe(context, isAny && !argument.isText()
                                     ? Value(textOfAny(context, argument))
                                     : argument);
    }
  Value result = found->second({context, name, object.text(), escaped});
  // Methods that markupsafe does not know give plain texts.
  bool isPlain =
      name == "casefold" || name == "removeprefix" || name == "removesuffix";
  return isPlain ? result : asMarkup(result);
}
