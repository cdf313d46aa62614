// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Printing.h"

#include "runtime/text/jinja/Numbers.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

static void addSequence(Context &context, TextBuilder &text,
                        const Sequence &sequence, bool sortsKeys) {
  if (sequence.type == Sequence::Range) {
    const int64_t *bounds = sequence.bounds;
    return text.add("range(" + std::to_string(bounds[0]) + ", " +
                    std::to_string(bounds[1]) +
                    (bounds[2] == 1 ? "" : ", " + std::to_string(bounds[2])) +
                    ")");
  }
  bool isView = sequence.type == Sequence::Keys ||
                sequence.type == Sequence::Values ||
                sequence.type == Sequence::Items;
  if (isView)
    text.add(sequence.type == Sequence::Keys     ? "dict_keys("
             : sequence.type == Sequence::Values ? "dict_values("
                                                 : "dict_items(");
  text.add(sequence.isTuple() ? "(" : "[");
  for (size_t i = 0; i < sequence.elements.size(); ++i) {
    if (i)
      text.add(", ");
    addRepresentation(context, text, sequence.elements[i], sortsKeys);
  }
  if (sequence.isTuple())
    text.add(sequence.elements.size() == 1 ? ",)" : ")");
  else
    text.add(isView ? "])" : "]");
}

static void addDictionary(Context &context, TextBuilder &text,
                          const Dictionary &dictionary, bool sortsKeys) {
  text.add("{");
  bool isFirst = true;
  for (const auto &[key, value] :
       sortsKeys ? sortedEntries(context, dictionary) : dictionary.entries) {
    text.add(isFirst ? "" : ", ");
    isFirst = false;
    addRepresentation(context, text, key, sortsKeys);
    text.add(": ");
    addRepresentation(context, text, value, sortsKeys);
  }
  text.add("}");
}

void jinja::addRepresentation(Context &context, TextBuilder &text,
                              const Value &value, bool sortsKeys) {
  context.addWork(sizeof(Value));
  if (value.isText()) {
    std::string quotes = jinja::quoted(value.text());
    text.add(value.isMarkup() ? "Markup(" + quotes + ")" : quotes);
  } else if (!value.isDefined())
    text.add("Undefined");
  else if (value.isSequence())
    addSequence(context, text, value.sequence(), sortsKeys);
  else if (value.isDictionary())
    addDictionary(context, text, value.dictionary(), sortsKeys);
  else
    text.add(textOfAny(context, value));
}

std::string jinja::textOfAny(Context &context, const Value &value) {
  if (!value.isDefined())
    return "";
  if (value.isText())
    return value.text();
  if (value.isNone())
    return "None";
  if (value.isBoolean())
    return value.isTrue() ? "True" : "False";
  if (value.isInteger())
    return std::to_string(value.integer());
  if (value.isFloat())
    return floatText(value.number());
  if (value.isObject())
    return value.object().toText(context);
  if (value.isIterator())
    throw Refusal{"a generator has no text; expected a list"};
  TextBuilder text(context);
  addRepresentation(context, text, value);
  return text.take();
}
