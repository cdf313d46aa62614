// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of HTML, XML and addresses.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Printing.h"
#include "runtime/text/jinja/Strings.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

static Value escape(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  if (call.operand.isMarkup() && call.name != "forceescape")
    return call.operand;
  return Value::markup(escapeHtml(textOfAny(call.context, call.operand)));
}

static Value markSafe(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  return Value::markup(textOfAny(call.context, call.operand));
}

/// The character that stands for "&amp;" and the like, from its "&" on; moves
/// `at` behind it.
static std::string entityAt(std::string_view text, size_t &at) {
  size_t end = text.substr(at, 12).find(';');
  std::string name(
      text.substr(at, end == std::string_view::npos ? 1 : end + 1));
  static const std::map<std::string, std::string> entities = {
      {"&amp;", "&"},      {"&lt;", "<"},        {"&gt;", ">"},
      {"&quot;", "\""},    {"&#39;", "'"},       {"&#34;", "\""},
      {"&apos;", "'"},     {"&nbsp;", "\u00a0"}, {"&#x27;", "'"},
      {"&copy;", "\u00a9"}};
  if (auto found = entities.find(name); found != entities.end()) {
    at += name.size();
    return found->second;
  }
  bool isPlain =
      at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '&';
  if (!isPlain)
    throw Refusal{"'striptags' of a text with '" + name + "' is not supported"};
  ++at;
  return "&";
}

/// Without what is between `begin` and `end`, both included.
static std::string without(std::string_view text, std::string_view begin,
                           std::string_view end) {
  std::string result;
  for (size_t at = 0;;) {
    size_t first = findPart(text, begin, at);
    size_t last = first == std::string_view::npos
                      ? first
                      : findPart(text, end, first + begin.size());
    result +=
        text.substr(at, last == std::string_view::npos ? last : first - at);
    if (last == std::string_view::npos)
      return result;
    at = last + end.size();
  }
}

static Value stripTags(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  std::string text = textOfAny(call.context, call.operand);
  call.context.addWork(4 * text.size());
  text = without(without(text, "<!--", "-->"), "<", ">");
  std::string words;
  for (std::string_view word : wordsOf(text))
    words += (words.empty() ? "" : " ") + std::string(word);
  std::string result;
  for (size_t at = 0; at < words.size();)
    if (words[at] == '&')
      result += entityAt(words, at);
    else
      result += words[at++];
  return Value(result);
}

static Value attributes(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"autospace"});
  if (!call.operand.isDictionary())
    throw Refusal{"'xmlattr' takes an object, found " + describe(call.operand)};
  TextBuilder text(call.context);
  for (const auto &[key, value] : call.operand.dictionary().entries) {
    if (!value.isDefined() || value.isNone())
      continue;
    const std::string &name = textOf(key, "a key of 'xmlattr'");
    if (name.find_first_of(" \t\n\r\f\v/>=") != std::string::npos)
      throw Refusal{"'xmlattr' does not take the key '" + name + "'"};
    auto escaped = [&](const Value &part) {
      std::string plain = textOfAny(call.context, part);
      return part.isMarkup() ? plain : escapeHtml(plain);
    };
    text.add(text.text().empty() ? "" : " ");
    text.add(escaped(key) + "=\"" + escaped(value) + "\"");
  }
  std::string result = text.take();
  return Value((given.flag(0, true) && !result.empty() ? " " : "") + result);
}

static std::string quoteAddress(std::string_view text, bool ofQuery) {
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool isKept =
        byte < 128 && (isalnum(byte) || c == '_' || c == '.' || c == '-' ||
                       c == '~' || (c == '/' && !ofQuery));
    if (isKept)
      result += c;
    else if (c == ' ' && ofQuery)
      result += '+';
    else
      (result += '%')
          .append(
              {"0123456789ABCDEF"[byte / 16], "0123456789ABCDEF"[byte % 16]});
  }
  return result;
}

static Value encodeAddress(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  const Value &value = call.operand;
  TextBuilder text(call.context);
  if (value.isText() || !value.isDefined() || !isIterable(value)) {
    bool isQuery = !value.isDefined(); // it has elements, but none
    text.add(isQuery ? ""
                     : quoteAddress(textOfAny(call.context, value), false));
    return text.takeValue();
  }
  auto add = [&](const Value &key, const Value &field) {
    text.add(text.text().empty() ? "" : "&");
    text.add(quoteAddress(textOfAny(call.context, key), true));
    text.add("=");
    text.add(quoteAddress(textOfAny(call.context, field), true));
  };
  if (value.isDictionary()) {
    for (const auto &[key, field] : value.dictionary().entries)
      add(key, field);
    return text.takeValue();
  }
  for (const Value &pair : elementsOf(call.context, value)) {
    std::vector<Value> both = elementsOf(call.context, pair);
    if (both.size() != 2)
      throw Refusal{"'urlencode' takes pairs, found " + describe(pair)};
    add(both[0], both[1]);
  }
  return text.takeValue();
}

const FilterTable &jinja::markupFilters() {
  static const FilterTable table = {{"e", escape},
                                    {"escape", escape},
                                    {"forceescape", escape},
                                    {"safe", markSafe},
                                    {"striptags", stripTags},
                                    {"urlencode", encodeAddress},
                                    {"xmlattr", attributes}};
  return table;
}
