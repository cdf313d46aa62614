// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of lists and other values that have elements.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Printing.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

static void expectNone(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
}

static Value defaultTo(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"default_value", "boolean"});
  bool isTaken =
      given.flag(1) ? call.operand.isTrue() : call.operand.isDefined();
  return isTaken ? call.operand : given.find(0) ? given.at(0) : Value("");
}

static Value attribute(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"name"}, 1);
  if (!call.operand.isDefined())
    throw Refusal{"an undefined value has no attribute"};
  return ownAttribute(call.context, call.operand,
                      textOfAny(call.context, given.at(0)));
}

static Value join(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"d", "attribute"});
  std::string between =
      given.find(0) ? textOfAny(call.context, given.at(0)) : std::string();
  TextBuilder text(call.context);
  bool isFirst = true;
  Cursor cursor(call.context, call.operand);
  for (Value element; cursor.next(element);) {
    text.add(isFirst ? "" : between);
    isFirst = false;
    if (given.find(1) && !given.at(1).isNone())
      element = attributeByPath(call.context, element, given.at(1));
    text.add(textOfAny(call.context, element));
  }
  return text.takeValue();
}

static Value first(const FilterCall &call) {
  expectNone(call);
  Value element;
  Cursor cursor(call.context, call.operand);
  return cursor.next(element) ? element : Value();
}

static Value last(const FilterCall &call) {
  expectNone(call);
  const Value &operand = call.operand;
  if (operand.isIterator())
    throw Refusal{"'last' does not take a generator; expected a list"};
  if (operand.isSequence())
    return operand.sequence().elements.empty()
               ? Value()
               : operand.sequence().elements.back();
  if (operand.isText())
    return elementOf(call.context, Value(operand.text()), Value(int64_t(-1)));
  std::vector<Value> all = elementsOf(call.context, operand);
  return all.empty() ? Value() : all.back();
}

static Value length(const FilterCall &call) {
  expectNone(call);
  return Value(sizeOf(call.context, call.operand));
}

static Value list(const FilterCall &call) {
  expectNone(call);
  return Value::list(elementsOf(call.context, call.operand));
}

static Value items(const FilterCall &call) {
  static const std::string name = "items";
  expectNone(call);
  if (!call.operand.isDefined())
    return Value::iterator({});
  if (!call.operand.isDictionary())
    throw Refusal{"'items' takes an object, found " + describe(call.operand)};
  Value view = callMethod(call.context, name, call.operand, {});
  return Value::iterator(view.sequence().elements);
}

static Value reverse(const FilterCall &call) {
  expectNone(call);
  if (call.operand.isText())
    return sliceOf(call.context, call.operand, {}, {}, -1);
  std::vector<Value> all = elementsOf(call.context, call.operand);
  std::reverse(all.begin(), all.end());
  // Python makes a list of what it cannot go through backwards.
  return call.operand.isIterator() ? Value::list(std::move(all))
                                   : Value::iterator(std::move(all));
}

static Value batch(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"linecount", "fill_with"}, 1);
  int64_t size = given.integer(0);
  ListBuilder rows(call.context);
  std::vector<Value> row;
  for (const Value &element : elementsOf(call.context, call.operand)) {
    if (int64_t(row.size()) == size)
      rows.add(Value::list(std::exchange(row, {})));
    row.push_back(element);
  }
  if (row.empty())
    return Value::iterator(rows.take());
  if (given.find(1) && !given.at(1).isNone()) {
    ListBuilder filled(call.context);
    for (const Value &element : row)
      filled.add(element);
    for (auto i = int64_t(row.size()); i < size; ++i)
      filled.add(given.at(1));
    row = filled.take();
  }
  rows.add(Value::list(std::move(row)));
  return Value::iterator(rows.take());
}

static Value slice(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"slices", "fill_with"}, 1);
  int64_t count = given.integer(0);
  std::vector<Value> all = elementsOf(call.context, call.operand);
  if (count == 0)
    throw Refusal{"division by 0"};
  if (count < 0)
    return Value::iterator({});
  int64_t size = int64_t(all.size()) / count,
          more = int64_t(all.size()) % count;
  bool fills = given.find(1) && !given.at(1).isNone();
  ListBuilder columns(call.context);
  size_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    ListBuilder column(call.context);
    for (int64_t k = 0; k < size + (i < more); ++k)
      column.add(all[at++]);
    if (fills && i >= more)
      column.add(given.at(1));
    columns.add(column.takeList());
  }
  return Value::iterator(columns.take());
}

static Value sum(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"attribute", "start"});
  Value result = given.find(1) ? given.at(1) : Value(int64_t(0));
  if (result.isText())
    throw Refusal{"'sum' does not take texts; expected join"};
  for (Value element : elementsOf(call.context, call.operand)) {
    if (given.find(0) && !given.at(0).isNone())
      element = attributeByPath(call.context, element, given.at(0));
    result = applyBinary(call.context, "+", result, element);
  }
  return result;
}

const FilterTable &jinja::sequenceFilters() {
  static const FilterTable table = {
      {"attr", attribute},    {"batch", batch},
      {"count", length},      {"d", defaultTo},
      {"default", defaultTo}, {"first", first},
      {"items", items},       {"join", join},
      {"last", last},         {"length", length},
      {"list", list},         {"reverse", reverse},
      {"slice", slice},       {"sum", sum}};
  return table;
}
