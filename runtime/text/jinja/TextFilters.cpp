// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of texts.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Parts.h"
#include "runtime/text/jinja/Printing.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

/// A method of the same arguments.
static Value method(const FilterCall &call, const std::string &name) {
  return callMethod(call.context, name, call.text(), call.arguments);
}

static Value changeCase(const FilterCall &call) {
  return method(call, call.name);
}

static Value trim(const FilterCall &call) {
  static const std::string strip = "strip";
  Parameters given(call.name, call.arguments, {"chars"});
  Arguments characters;
  if (given.find(0))
    characters.values.push_back(given.at(0));
  return callMethod(call.context, strip, call.text(), characters);
}

static Value center(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"width"});
  Arguments width;
  width.values.emplace_back(given.integer(0, 80));
  return callMethod(call.context, call.name, call.text(), width);
}

static Value string(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  return call.text();
}

/// Other than str.title: letters behind white space, "-" and brackets.
static Value title(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  std::string text = textOfAny(call.context, call.operand);
  call.context.addWork(4 * text.size());
  std::u32string characters = charactersIn(text);
  auto isBreak = [](char32_t code) {
    return isSpace(code) ||
           std::u32string_view(U"-({[<").find(code) != std::u32string::npos;
  };
  TextBuilder result(call.context);
  for (size_t begin = 0; begin < characters.size();) {
    size_t end = begin + 1;
    bool breaks = isBreak(characters[begin]);
    while (end < characters.size() && isBreak(characters[end]) == breaks)
      ++end;
    result.add(upperOf(toUtf8(characters.substr(begin, 1))));
    result.add(lowerOf(toUtf8(characters.substr(begin + 1, end - begin - 1))));
    begin = end;
  }
  return result.takeValue();
}

static Value replace(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"old", "new", "count"}, 2);
  int64_t count = given.optionalInteger(2).value_or(-1);
  std::string text = textOfAny(call.context, call.operand), result;
  std::string from = textOfAny(call.context, given.at(0));
  std::string to = textOfAny(call.context, given.at(1));
  call.context.addWork(text.size() + from.size());
  if (!replaceParts(text, from, to, count < 0 ? SIZE_MAX : size_t(count),
                    kMostBytes, result))
    throw Refusal{"a text has more than 16 MiB"};
  call.context.addWork(result.size());
  return Value(result);
}

static Value format(const FilterCall &call) {
  Value values = Value::tuple(call.arguments.values);
  if (!call.arguments.named.empty()) {
    if (!call.arguments.values.empty())
      throw Refusal{"'format' takes values with names or without, not both"};
    Dictionary named;
    for (const auto &[name, value] : call.arguments.named)
      named.set(call.context, Value(name), value);
    values = Value(std::move(named));
  }
  return formatPercent(call.context, call.text(), values);
}

static Value indent(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"width", "first", "blank"});
  std::string space;
  if (given.find(0) && given.at(0).isText()) {
    space = given.text(0);
  } else {
    TextBuilder spaces(call.context);
    spaces.add(size_t(std::max<int64_t>(given.integer(0, 4), 0)), " ");
    space = spaces.take();
  }
  if (call.operand.isMarkup())
    space = escapeHtml(space);
  if (!call.operand.isText())
    throw Refusal{"'indent' takes a text, found " + describe(call.operand)};
  // A line end more, so that the one that is last counts as a line.
  std::string text = call.operand.text() + "\n";
  call.context.addWork(text.size());
  TextBuilder result(call.context);
  bool isFirst = true, blank = given.flag(2);
  for (std::string_view line : linesOf(text, false)) {
    result.add(isFirst ? "" : "\n");
    if (isFirst ? given.flag(1) : blank || !line.empty())
      result.add(space);
    result.add(line);
    isFirst = false;
  }
  return call.operand.isMarkup() ? Value::markup(result.take())
                                 : result.takeValue();
}

static Value truncate(const FilterCall &call) {
  Parameters given(call.name, call.arguments,
                   {"length", "killwords", "end", "leeway"});
  int64_t length = given.integer(0, 255);
  std::string end = given.text(2, "...");
  int64_t leeway = given.optionalInteger(3).value_or(5);
  auto endSize = int64_t(countCharacters(end));
  if (length < endSize || leeway < 0)
    throw Refusal{"'truncate' takes a length of at least " +
                  std::to_string(endSize) + " and a leeway of at least 0"};
  int64_t size = sizeOf(call.context, call.operand);
  if (length >= size || size - length <= leeway)
    return call.operand;
  if (!call.operand.isText())
    throw Refusal{"'truncate' takes a text, found " + describe(call.operand)};
  const std::string &text = call.operand.text();
  std::string_view kept = firstCharacters(text, size_t(length - endSize));
  if (!given.flag(1))
    kept = splitAt(kept, " ", 1, true)[0];
  return Value(std::string(kept) + end);
}

static Value wordWrap(const FilterCall &call) {
  Parameters given(
      call.name, call.arguments,
      {"width", "break_long_words", "wrapstring", "break_on_hyphens"});
  std::string between = given.find(2) && !given.at(2).isNone()
                            ? given.text(2)
                            : std::string("\n");
  int64_t width = given.integer(0, 79);
  if (width <= 0)
    throw Refusal{"'wordwrap' takes a width of at least 1, found " +
                  std::to_string(width)};
  if (!call.operand.isText())
    throw Refusal{"'wordwrap' takes a text, found " + describe(call.operand)};
  TextBuilder result(call.context);
  bool isFirstLine = true;
  for (std::string_view line : linesOf(call.operand.text(), false)) {
    result.add(isFirstLine ? "" : between);
    isFirstLine = false;
    bool isFirst = true;
    for (const std::string &part :
         wrapWords(call.context, std::string(line), width, given.flag(1, true),
                   given.flag(3, true))) {
      result.add(isFirst ? "" : between);
      result.add(part);
      isFirst = false;
    }
  }
  return result.takeValue();
}

static Value countWords(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  int64_t count = 0;
  bool isInside = false;
  std::string text = textOfAny(call.context, call.operand);
  call.context.addWork(4 * text.size());
  for (char32_t code : charactersIn(text)) {
    bool isWord = isWordCharacter(code);
    count += isWord && !isInside;
    isInside = isWord;
  }
  return Value(count);
}

static Value prettyPrint(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  TextBuilder text(call.context);
  addRepresentation(call.context, text, call.operand, /*sortsKeys=*/true);
  // Python breaks longer ones into lines, by rules of its own.
  if (countCharacters(text.text()) > 80)
    throw Refusal{"'pprint' of more than 80 characters is not supported"};
  return text.takeValue();
}

static Value json(const FilterCall &call) {
  return toJson(call.context, call.operand, call.arguments);
}

const FilterTable &jinja::textFilters() {
  static const FilterTable table = {{"capitalize", changeCase},
                                    {"center", center},
                                    {"format", format},
                                    {"indent", indent},
                                    {"lower", changeCase},
                                    {"pprint", prettyPrint},
                                    {"replace", replace},
                                    {"string", string},
                                    {"title", title},
                                    {"tojson", json},
                                    {"trim", trim},
                                    {"truncate", truncate},
                                    {"upper", changeCase},
                                    {"wordcount", countWords},
                                    {"wordwrap", wordWrap}};
  return table;
}
