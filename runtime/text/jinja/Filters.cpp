// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions, filters and tests.

#include "runtime/text/jinja/Functions.h"

#include "runtime/text/Utf8.h"

#include <algorithm>
#include <ctime>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- functions ---------------------------------------------------------===//

static Value range(const Arguments &arguments) {
  expectArguments("range", arguments, 1, 3);
  int64_t bounds[3] = {0, 0, 1};
  size_t count = arguments.values.size();
  for (size_t i = 0; i < count; ++i) {
    const Json &bound = arguments.values[i].data();
    if (!bound.is_number_integer())
      throw Refusal{"range takes integers, found " + describe(bound)};
    bounds[count == 1 ? 1 : i] = bound.get<int64_t>();
  }
  Json list = Json::array();
  if (bounds[2] == 0)
    throw Refusal{"the step of a range is 0"};
  for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
    list.push_back(i);
    if (list.size() > kMostElements || __builtin_add_overflow(i, bounds[2], &i))
      break;
  }
  return Value(std::move(list));
}

/// The local time, as transformers gives templates.
static Value formatNow(const Arguments &arguments) {
  expectArguments("strftime_now", arguments, 1, 1);
  // strftime tells nothing from a failure; a character in front is something.
  std::string format = " " + stringOf(arguments.values[0], "strftime_now");
  char text[1024];
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  size_t size = localtime_r(&now, &parts)
                    ? std::strftime(text, sizeof(text), format.c_str(), &parts)
                    : 0;
  if (size == 0)
    throw Refusal{"strftime_now of a format that makes more than 1 KiB"};
  return Value(Json(toUtf8({text + 1, size - 1})));
}

bool jinja::isFunction(const std::string &name) {
  for (const char *other : {"dict", "cycler", "joiner", "lipsum"})
    if (name == other)
      throw Refusal{"the function '" + name + "' is not supported"};
  return name == "raise_exception" || name == "namespace" || name == "range" ||
         name == "strftime_now";
}

Value jinja::callFunction(const std::string &name, const Arguments &arguments) {
  if (name == "raise_exception") {
    expectArguments(name, arguments, 1, 1);
    throw Refusal{arguments.values[0].toText()};
  }
  if (name == "namespace") {
    Value result = Value::makeNamespace();
    for (const auto &[key, value] : arguments.named)
      result.setAttribute(key, value);
    return result;
  }
  if (name == "range")
    return range(arguments);
  if (name == "strftime_now")
    return formatNow(arguments);
  throw Refusal{"the function '" + name + "' is not supported"};
}

//===-- filters and tests -------------------------------------------------===//

/// As transformers' own, which leaves characters as they are. It keeps the
/// order of fields, which is not known here.
static std::string toJson(const Json &value) {
  if (value.is_object() && value.size() > 1)
    throw Refusal{"tojson of an object with several fields is not supported"};
  if (!value.is_structured())
    return value.dump();
  std::string text;
  for (const auto &[key, element] : value.items())
    text += (text.empty() ? "" : ", ") +
            (value.is_object() ? Json(key).dump() + ": " : "") +
            toJson(element);
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

static Value join(const Value &operand, const Arguments &arguments) {
  std::string separator =
      arguments.values.empty() ? "" : stringOf(arguments.values[0], "join");
  std::string text;
  bool isFirst = true;
  for (const Value &element : operand.elements()) {
    text += (isFirst ? "" : separator) + element.toText();
    isFirst = false;
    if (text.size() > kMostBytes)
      break;
  }
  return Value(Json(text));
}

/// Those elements whose attribute passes a test, or does not.
static Value selectByAttribute(const Value &operand, const Arguments &arguments,
                               bool isKept) {
  expectArguments("selectattr", arguments, 1, 3);
  const std::string &attribute = stringOf(arguments.values[0], "selectattr");
  Arguments rest;
  if (arguments.values.size() == 3)
    rest.values.push_back(arguments.values[2]);
  ListBuilder kept;
  for (const Value &element : operand.elements()) {
    Value value = element.attribute(attribute);
    bool passes = arguments.values.size() == 1
                      ? value.isTrue()
                      : applyTest(stringOf(arguments.values[1], "selectattr"),
                                  value, rest);
    if (passes == isKept)
      kept.add(element);
  }
  return kept.take();
}

static Value firstOrLast(const Value &operand, bool isFirst) {
  if (operand.data().is_array())
    return operand.element(Value(Json(isFirst ? 0 : -1)));
  std::vector<Value> all = operand.elements();
  return all.empty() ? Value() : isFirst ? all.front() : all.back();
}

Value jinja::applyFilter(const std::string &name, const Value &operand,
                         const Arguments &arguments) {
  if (name == "trim" || name == "upper" || name == "lower" || name == "replace")
    return callMethod(name == "trim" ? "strip" : name,
                      Value(Json(operand.toText())), arguments);
  if (name == "default" || name == "d") {
    expectArguments(name, arguments, 1, 2);
    bool alsoFalse =
        arguments.values.size() > 1 && arguments.values[1].isTrue();
    bool isTaken = alsoFalse ? operand.isTrue() : operand.isDefined();
    return isTaken ? operand : arguments.values[0];
  }
  if (name == "join") {
    expectArguments(name, arguments, 0, 1);
    return join(operand, arguments);
  }
  if (name == "tojson") {
    // transformers' own, which leaves characters as they are.
    expectArguments(name, arguments, 0, 0);
    return Value(Json(toJson(operand.data())));
  }
  if (name == "selectattr" || name == "rejectattr")
    return selectByAttribute(operand, arguments, name == "selectattr");
  static constexpr std::string_view plain[] = {
      "string", "length", "count", "first", "last", "list", "items"};
  if (std::find(std::begin(plain), std::end(plain), name) == std::end(plain))
    throw Refusal{"the filter '" + name + "' is not supported"};
  expectArguments(name, arguments, 0, 0);
  if (name == "string")
    return Value(Json(operand.toText()));
  if (name == "length" || name == "count")
    return Value(Json(int64_t(operand.size())));
  if (name == "first" || name == "last")
    return firstOrLast(operand, name == "first");
  if (name == "list") {
    ListBuilder list;
    for (const Value &element : operand.elements())
      list.add(element);
    return list.take();
  }
  return callMethod("items", operand, arguments);
}

bool jinja::applyTest(const std::string &name, const Value &operand,
                      const Arguments &arguments) {
  const Json &data = operand.data();
  bool isDefined = operand.isDefined();
  if (name == "equalto" || name == "eq") {
    expectArguments(name, arguments, 1, 1);
    return operand == arguments.values[0];
  }
  if (!arguments.values.empty() || !arguments.named.empty())
    throw Refusal{"the test '" + name + "' with arguments is not supported"};
  if (name == "defined" || name == "undefined")
    return isDefined == (name == "defined");
  if (name == "none")
    return isDefined && !operand.isNamespace() && data.is_null();
  if (name == "string")
    return data.is_string();
  if (name == "number") // a boolean is one in Python
    return data.is_number() || data.is_boolean();
  if (name == "integer")
    return data.is_number_integer();
  if (name == "boolean")
    return data.is_boolean();
  if (name == "true" || name == "false")
    return data.is_boolean() && data.get<bool>() == (name == "true");
  if (name == "mapping")
    return data.is_object();
  if (name == "iterable" || name == "sequence")
    return !isDefined || data.is_array() || data.is_string() ||
           data.is_object();
  throw Refusal{"the test '" + name + "' is not supported"};
}
