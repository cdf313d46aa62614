// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values as JSON.

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Numbers.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Printing.h"

#include <algorithm>
#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

/// As json.dumps() of Python writes.
class JsonWriter {
public:
  JsonWriter(Context &context, const Arguments &arguments)
      : context(context), text(context) {
    static const std::string who = "tojson";
    Parameters given(who, arguments,
                     {"ensure_ascii", "indent", "separators", "sort_keys"});
    escapesAll = given.flag(0);
    sortsKeys = given.flag(3);
    const Value *indentation = given.find(1);
    isIndented = indentation && !indentation->isNone();
    if (isIndented && indentation->isText())
      indent = indentation->text();
    else if (isIndented)
      indent = std::string(size_t(std::clamp<int64_t>(given.integer(1), 0,
                                                      int64_t(kMostNested))),
                           ' ');
    if (isIndented)
      between = ",";
    if (const Value *both = given.find(2); both && !both->isNone()) {
      if (!both->isSequence() || both->sequence().elements.size() != 2)
        throw Refusal{"'tojson' takes two texts as 'separators', found " +
                      describe(*both)};
      between = textOf(both->sequence().elements[0], who);
      behindKey = textOf(both->sequence().elements[1], who);
    }
    context.addWork(indent.size() + between.size() + behindKey.size());
  }

  void write(const Value &value, int level) {
    context.addWork(sizeof(Value));
    if (value.isText())
      return writeText(value.text());
    if (value.isSequence() && isArray(value.sequence()))
      return writeArray(value.sequence(), level);
    if (value.isDictionary())
      return writeObject(value.dictionary(), level);
    if (value.isNone() || value.isNumber())
      return text.add(plain(value));
    throw Refusal{"tojson does not take " + describe(value)};
  }

  Value take() { return text.takeValue(); }

private:
  static bool isArray(const Sequence &sequence) {
    return sequence.type == Sequence::List || sequence.isTuple();
  }

  static std::string plain(const Value &value) {
    if (value.isNone())
      return "null";
    if (value.isBoolean())
      return value.isTrue() ? "true" : "false";
    if (value.isInteger())
      return std::to_string(value.integer());
    double number = value.number();
    if (std::isnan(number))
      return "NaN";
    if (std::isinf(number))
      return number < 0 ? "-Infinity" : "Infinity";
    return floatText(number);
  }

  void addEscape(char32_t unit) {
    std::string digits = "\\u0000";
    for (size_t i = 6; i-- > 2; unit /= 16)
      digits[i] = "0123456789abcdef"[unit % 16];
    text.add(digits);
  }

  void writeText(const std::string &value) {
    text.add("\"");
    for (size_t at = 0; at < value.size();) {
      size_t begin = at;
      char32_t code = nextCharacter(value, at);
      static constexpr std::string_view named = "\"\\\n\r\t\f\b";
      if (code < 128 && named.find(char(code)) != std::string_view::npos)
        text.add({"\\", 1}),
            text.add({&"\"\\nrtfb"[named.find(char(code))], 1});
      else if (code >= 0x10000 && escapesAll)
        addEscape(0xd800 + ((code - 0x10000) >> 10)),
            addEscape(0xdc00 + (code & 0x3ff));
      else if (code < 0x20 || (code >= 0x7f && escapesAll))
        addEscape(code);
      else
        text.add({value.data() + begin, at - begin});
    }
    text.add("\"");
  }

  void startLine(int level) {
    if (!isIndented)
      return;
    text.add("\n");
    text.add(size_t(level), indent);
  }

  void writeArray(const Sequence &sequence, int level) {
    if (sequence.elements.empty())
      return text.add("[]");
    text.add("[");
    for (size_t i = 0; i < sequence.elements.size(); ++i) {
      text.add(i ? between : "");
      startLine(level + 1);
      write(sequence.elements[i], level + 1);
    }
    startLine(level);
    text.add("]");
  }

  void writeObject(const Dictionary &dictionary, int level) {
    if (dictionary.entries.empty())
      return text.add("{}");
    text.add("{");
    bool isFirst = true;
    for (const auto &[key, value] :
         sortsKeys ? sortedEntries(context, dictionary) : dictionary.entries) {
      text.add(isFirst ? "" : between);
      isFirst = false;
      startLine(level + 1);
      if (key.isSequence() || !key.isDefined())
        throw Refusal{"tojson of an object has no key " + describe(key)};
      writeText(key.isText() ? key.text() : plain(key));
      text.add(behindKey);
      write(value, level + 1);
    }
    startLine(level);
    text.add("}");
  }

  Context &context;
  TextBuilder text;
  bool escapesAll, sortsKeys, isIndented;
  std::string indent, between = ", ", behindKey = ": ";
};

} // namespace

Value jinja::toJson(Context &context, const Value &value,
                    const Arguments &arguments) {
  JsonWriter writer(context, arguments);
  writer.write(value, 0);
  return writer.take();
}
