// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters that choose elements, or apply another filter to each.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Functions.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

/// The arguments behind the first `count`.
static Arguments withoutFirst(const Arguments &arguments, size_t count) {
  Arguments rest = arguments;
  rest.values.erase(rest.values.begin(), rest.values.begin() + long(count));
  return rest;
}

static Value map(const FilterCall &call) {
  ListBuilder list(call.context);
  if (call.arguments.values.empty()) {
    Parameters given(call.name, call.arguments, {"attribute", "default"}, 1);
    const Value *fallback = given.find(1);
    if (fallback && fallback->isNone())
      fallback = nullptr;
    for (const Value &element : elementsOf(call.context, call.operand))
      list.add(attributeByPath(call.context, element, given.at(0), fallback));
    return Value::iterator(list.take());
  }
  const std::string &name = textOf(call.arguments.values[0], "'map'");
  Arguments rest = withoutFirst(call.arguments, 1);
  for (const Value &element : elementsOf(call.context, call.operand)) {
    call.context.step();
    list.add(applyFilter(call.context, name, element, rest));
  }
  return Value::iterator(list.take());
}

static Value select(const FilterCall &call) {
  bool ofAttribute = call.name == "selectattr" || call.name == "rejectattr";
  bool isKept = call.name[0] == 's';
  const std::vector<Value> &values = call.arguments.values;
  if (ofAttribute && values.empty())
    throw Refusal{"'" + call.name + "' lacks the name of an attribute"};
  size_t test = ofAttribute;
  bool hasTest = values.size() > test;
  Arguments rest = withoutFirst(call.arguments, test + hasTest);
  ListBuilder list(call.context);
  for (const Value &element : elementsOf(call.context, call.operand)) {
    call.context.step();
    Value tested = ofAttribute
                       ? attributeByPath(call.context, element, values[0])
                       : element;
    bool isTrue = hasTest
                      ? applyTest(call.context, textOf(values[test], call.name),
                                  tested, rest)
                      : tested.isTrue();
    if (isTrue == isKept)
      list.add(element);
  }
  return Value::iterator(list.take());
}

const FilterTable &jinja::selectionFilters() {
  static const FilterTable table = {{"map", map},
                                    {"reject", select},
                                    {"rejectattr", select},
                                    {"select", select},
                                    {"selectattr", select}};
  return table;
}
