// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Work.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

static size_t lengthOf(const Value &value) {
  const Json &json = value.data();
  return json.is_string() ? json.get_ref<const std::string &>().size() : 0;
}

static size_t lengthsOf(const Arguments &arguments) {
  size_t length = 0;
  for (const Value &value : arguments.values)
    length += lengthOf(value);
  return length;
}

size_t jinja::workOfElements(const Value &value) {
  constexpr size_t element = sizeof(Value) + sizeof(Json);
  const Json &json = value.data();
  return json.is_string() ? lengthOf(value)
                          : (json.is_structured() ? element * json.size() : 0);
}

size_t jinja::workOfSubscript(const Value &object) { return lengthOf(object); }

size_t jinja::workOfSlice(const Value &object) {
  return sizeof(size_t) * lengthOf(object);
}

/// Strings of different lengths differ at once.
static size_t workOfComparison(const Value &left, const Value &right) {
  return left.data().is_string() ? std::min(lengthOf(left), lengthOf(right))
                                 : bytesOf(left.data());
}

size_t jinja::workOfBinary(const std::string &name, const Value &left,
                           const Value &right) {
  if (name == "in" || name == "not in")
    return lengthOf(left) + bytesOf(right.data());
  if (name == "+" || name == "~")
    return 0; // what they make is as large
  return workOfComparison(left, right);
}

size_t jinja::workOfFilter(const std::string &name, const Value &operand,
                           const Arguments &arguments) {
  bool isShort = name == "default" || name == "d" || name == "first" ||
                 name == "last" || name == "length" || name == "count";
  if (isShort && !operand.data().is_string())
    return 0;
  return workOfElements(operand) + lengthsOf(arguments);
}

size_t jinja::workOfTest(const Value &operand, const Arguments &arguments) {
  return arguments.values.empty()
             ? 0
             : workOfComparison(operand, arguments.values[0]);
}

size_t jinja::workOfMethod(const Value &object, const Arguments &arguments) {
  return lengthOf(object) + lengthsOf(arguments);
}
