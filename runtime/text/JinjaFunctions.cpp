// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/JinjaFunctions.h"

#include "runtime/text/Utf8.h"

#include <algorithm>
#include <cmath>
#include <unicode/uchar.h>

using namespace heddle::text;
using namespace heddle::text::jinja;

static constexpr size_t kMostElements = 100'000;

/// Texts and lists that templates make are bounded, as loops could double them.
static Value bounded(Json value) {
  if (value.is_string() &&
      value.get_ref<const std::string &>().size() > (16 << 20))
    throw Refusal{"the text has more than 16 MiB"};
  if (value.is_array() && value.size() > kMostElements)
    throw Refusal{"a list has more than " + std::to_string(kMostElements) +
                  " elements"};
  return Value(std::move(value));
}

static const std::string &stringOf(const Value &value, const std::string &who) {
  if (!value.data().is_string())
    throw Refusal{who + " takes a string, found " + describe(value.data())};
  return value.data().get_ref<const std::string &>();
}

/// Fields of objects are in no order here, and in Python's they are.
static void expectOneOrder(const Json &object) {
  if (object.size() > 1)
    throw Refusal{"the order of an object's fields is not known; expected one "
                  "field, found " +
                  describe(object)};
}

//===-- values ------------------------------------------------------------===//

Value Value::makeNamespace() {
  Value value;
  value.attributes = std::make_shared<std::map<std::string, Value>>();
  return value;
}

bool Value::isTrue() const {
  if (attributes)
    return true;
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_number())
    return json.get<double>() != 0;
  if (json.is_string())
    return !json.get_ref<const std::string &>().empty();
  return !json.is_null() && !json.empty();
}

std::string Value::toText() const {
  if (attributes)
    throw Refusal{"a namespace has no text"};
  if (!defined)
    return "";
  if (json.is_string())
    return json.get<std::string>();
  if (json.is_boolean())
    return json.get<bool>() ? "True" : "False";
  if (json.is_null())
    return "None";
  if (json.is_number())
    return json.dump();
  throw Refusal{
      "a list or an object has no text here; expected tojson, found " +
      describe(json)};
}

// Where the characters of a text begin, and its end.
static std::vector<size_t> charactersOf(std::string_view text) {
  std::vector<size_t> begins;
  for (size_t position = 0; position < text.size();) {
    begins.push_back(position);
    nextCharacter(text, position);
  }
  begins.push_back(text.size());
  return begins;
}

std::vector<Value> Value::elements() const {
  std::vector<Value> result;
  if (json.is_array())
    for (const Json &element : json)
      result.emplace_back(element);
  else if (json.is_object()) {
    expectOneOrder(json);
    for (const auto &[key, value] : json.items())
      result.emplace_back(Json(key));
  } else if (json.is_string()) {
    const std::string &text = json.get_ref<const std::string &>();
    std::vector<size_t> begins = charactersOf(text);
    for (size_t i = 0; i + 1 < begins.size(); ++i)
      result.emplace_back(
          Json(text.substr(begins[i], begins[i + 1] - begins[i])));
  } else if (isDefined())
    throw Refusal{"expected something that has elements, found " +
                  describe(json)};
  return result;
}

Value Value::attribute(const std::string &name) const {
  if (!isDefined())
    throw Refusal{"an undefined value has no attribute '" + name + "'"};
  if (attributes) {
    auto found = attributes->find(name);
    return found == attributes->end() ? Value() : found->second;
  }
  const Json *field = json.is_object() ? findField(json, name) : nullptr;
  return field ? Value(*field) : Value();
}

void Value::setAttribute(const std::string &name, Value value) {
  (*attributes)[name] = std::move(value);
}

Value Value::element(const Value &index) const {
  if (index.data().is_string())
    return attribute(index.data().get<std::string>());
  if (!index.data().is_number_integer())
    throw Refusal{"expected a string or an integer as a subscript, found " +
                  describe(index.data())};
  if (!isDefined())
    throw Refusal{"an undefined value has no elements"};
  std::vector<Value> all = elements();
  int64_t position = index.data().get<int64_t>();
  position += position < 0 ? int64_t(all.size()) : 0;
  return position >= 0 && position < int64_t(all.size()) ? all[position]
                                                         : Value();
}

Value Value::slice(std::optional<int64_t> first, std::optional<int64_t> last,
                   std::optional<int64_t> givenStep) const {
  std::vector<Value> all = elements();
  int64_t size = int64_t(all.size()), step = givenStep.value_or(1);
  if (step == 0)
    throw Refusal{"the step of a slice is 0"};
  // As Python clamps them.
  auto clamp = [&](int64_t at) {
    at += at < 0 ? size : 0;
    return std::clamp<int64_t>(at, step < 0 ? -1 : 0,
                               step < 0 ? size - 1 : size);
  };
  int64_t begin = first ? clamp(*first) : (step < 0 ? size - 1 : 0);
  int64_t end = last ? clamp(*last) : (step < 0 ? -1 : size);
  Json list = Json::array();
  // A longer step leaves the list as well, and no number its 64 bits.
  step = std::clamp<int64_t>(step, -size - 1, size + 1);
  for (int64_t i = begin; step < 0 ? i > end : i < end; i += step)
    list.push_back(all[i].data());
  if (!json.is_string())
    return Value(std::move(list));
  std::string text;
  for (const Json &character : list)
    text += character.get_ref<const std::string &>();
  return Value(Json(text));
}

//===-- operators ---------------------------------------------------------===//

Value jinja::applyUnary(const std::string &name, const Value &operand) {
  if (name == "not")
    return Value(Json(!operand.isTrue()));
  if (!operand.data().is_number())
    throw Refusal{"'" + name + "' takes a number, found " +
                  describe(operand.data())};
  if (name == "+")
    return operand;
  if (operand.data().is_number_float())
    return Value(Json(-operand.data().get<double>()));
  int64_t result = 0;
  if (__builtin_sub_overflow(int64_t(0), operand.data().get<int64_t>(),
                             &result))
    throw Refusal{"a number leaves 64 bits"};
  return Value(Json(result));
}

static bool contains(const Value &container, const Value &element) {
  if (container.data().is_string())
    return container.data().get_ref<const std::string &>().find(
               stringOf(element, "'in' of a string")) != std::string::npos;
  std::vector<Value> all = container.elements();
  return std::any_of(all.begin(), all.end(), [&](const Value &one) {
    return one.data() == element.data();
  });
}

static Value integers(const std::string &name, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  if (name == "+")
    overflows = __builtin_add_overflow(a, b, &result);
  else if (name == "-")
    overflows = __builtin_sub_overflow(a, b, &result);
  else if (name == "*")
    overflows = __builtin_mul_overflow(a, b, &result);
  else if (b == 0)
    throw Refusal{"division by 0"};
  else if (b == -1) // the one quotient that may leave 64 bits
    overflows = name != "%" && __builtin_sub_overflow(int64_t(0), a, &result);
  else {
    // Both round down, as Python's do.
    int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
    result = name == "%" ? a - quotient * b : quotient;
  }
  if (overflows)
    throw Refusal{"a number leaves 64 bits"};
  return Value(Json(result));
}

static Value numbers(const std::string &name, double a, double b) {
  if (name == "+")
    return Value(Json(a + b));
  if (name == "-")
    return Value(Json(a - b));
  if (name == "*")
    return Value(Json(a * b));
  if (b == 0)
    throw Refusal{"division by 0"};
  if (name == "/")
    return Value(Json(a / b));
  double quotient = std::floor(a / b);
  return Value(Json(name == "%" ? a - quotient * b : quotient));
}

static Value compare(const std::string &name, const Json &a, const Json &b) {
  bool areNumbers = a.is_number() && b.is_number();
  if (!areNumbers && !(a.is_string() && b.is_string()))
    throw Refusal{"'" + name + "' takes two numbers or two strings, found " +
                  describe(a) + " and " + describe(b)};
  return Value(Json(name == "<"    ? a < b
                    : name == ">"  ? a > b
                    : name == "<=" ? a <= b
                                   : a >= b));
}

Value jinja::applyBinary(const std::string &name, const Value &left,
                         const Value &right) {
  const Json &a = left.data(), &b = right.data();
  if (name == "==" || name == "!=") {
    // What is undefined equals nothing else, none included.
    bool isEqual = left.isDefined() == right.isDefined() && a == b;
    return Value(Json(isEqual == (name == "==")));
  }
  if (name == "in" || name == "not in")
    return Value(Json(contains(right, left) == (name == "in")));
  if (name == "~")
    return bounded(Json(left.toText() + right.toText()));
  if (name[0] == '<' || name[0] == '>')
    return compare(name, a, b);
  if (name == "+" && a.is_string() && b.is_string())
    return bounded(Json(a.get<std::string>() + b.get<std::string>()));
  if (name == "+" && a.is_array() && b.is_array()) {
    Json list = a;
    list.insert(list.end(), b.begin(), b.end());
    return bounded(std::move(list));
  }
  if (a.is_number_integer() && b.is_number_integer() && name != "/")
    return integers(name, a.get<int64_t>(), b.get<int64_t>());
  if (a.is_number() && b.is_number())
    return numbers(name, a.get<double>(), b.get<double>());
  auto describeOne = [](const Value &value) {
    return value.isDefined() ? describe(value.data()) : "an undefined value";
  };
  throw Refusal{"'" + name + "' does not take " + describeOne(left) + " and " +
                describeOne(right)};
}

//===-- strings -----------------------------------------------------------===//

static void expectAscii(const std::string &text, const std::string &who) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) > 127; }))
    throw Refusal{who + " of characters beyond ASCII is not supported"};
}

static std::string changeCase(std::string text, int (*change)(int)) {
  expectAscii(text, "a change of case");
  std::transform(text.begin(), text.end(), text.begin(),
                 [&](char c) { return char(change(c)); });
  return text;
}

/// As Python's str.isspace.
static bool isSpace(std::string_view character) {
  size_t position = 0;
  char32_t code = nextCharacter(character, position);
  return u_isUWhiteSpace(UChar32(code)) || (code >= 0x1c && code <= 0x1f);
}

static std::string stripSpace(const std::string &text, bool atStart,
                              bool atEnd) {
  std::vector<size_t> begins = charactersOf(text);
  size_t first = 0, last = begins.size() - 1;
  auto isSpaceAt = [&](size_t i) {
    return isSpace(
        std::string_view(text).substr(begins[i], begins[i + 1] - begins[i]));
  };
  while (atStart && first < last && isSpaceAt(first))
    ++first;
  while (atEnd && last > first && isSpaceAt(last - 1))
    --last;
  return text.substr(begins[first], begins[last] - begins[first]);
}

static std::string strip(const std::string &text, const std::string &set,
                         bool atStart, bool atEnd) {
  size_t begin = atStart ? text.find_first_not_of(set) : 0;
  if (begin == std::string::npos)
    return "";
  size_t end = atEnd ? text.find_last_not_of(set) + 1 : text.size();
  return text.substr(begin, end > begin ? end - begin : 0);
}

static std::string replaceAll(const std::string &text, const std::string &from,
                              const std::string &to) {
  if (from.empty())
    throw Refusal{"replace of an empty string"};
  std::string result;
  size_t at = 0;
  for (size_t found; (found = text.find(from, at)) != std::string::npos;
       at = found + from.size()) {
    result += text.substr(at, found - at) + to;
    if (result.size() > (16 << 20))
      throw Refusal{"the text has more than 16 MiB"};
  }
  return result + text.substr(at);
}

static Value split(const std::string &text, const Arguments &arguments) {
  Json parts = Json::array();
  if (arguments.values.empty()) {
    expectAscii(text, "split at white space");
    for (size_t at = 0;
         (at = text.find_first_not_of(" \t\r\n", at)) != std::string::npos;) {
      size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
      parts.push_back(text.substr(at, end - at));
      at = end;
    }
    return Value(std::move(parts));
  }
  const std::string &separator = stringOf(arguments.values[0], "split");
  if (separator.empty())
    throw Refusal{"split at an empty string"};
  size_t at = 0;
  for (size_t found; (found = text.find(separator, at)) != std::string::npos;
       at = found + separator.size())
    parts.push_back(text.substr(at, found - at));
  parts.push_back(text.substr(at));
  return Value(std::move(parts));
}

static bool startsOrEnds(const std::string &text, const Value &part,
                         bool atStart) {
  const std::string &other = stringOf(part, "startswith");
  return text.size() >= other.size() &&
         text.compare(atStart ? 0 : text.size() - other.size(), other.size(),
                      other) == 0;
}

static void expectArguments(const std::string &name, const Arguments &arguments,
                            size_t least, size_t most) {
  if (arguments.values.size() < least || arguments.values.size() > most ||
      !arguments.named.empty())
    throw Refusal{"'" + name + "' takes other arguments"};
}

Value jinja::callMethod(const std::string &name, const Value &object,
                        const Arguments &arguments) {
  const Json &data = object.data();
  if (data.is_object() && (name == "items" || name == "keys" ||
                           name == "values" || name == "get")) {
    if (name == "get") {
      expectArguments(name, arguments, 1, 2);
      Value found = object.element(arguments.values[0]);
      if (found.isDefined())
        return found;
      return arguments.values.size() > 1 ? arguments.values[1]
                                         : Value(Json(nullptr));
    }
    expectArguments(name, arguments, 0, 0);
    expectOneOrder(data);
    Json list = Json::array();
    for (const auto &[key, value] : data.items())
      list.push_back(name == "items"  ? Json::array({key, value})
                     : name == "keys" ? Json(key)
                                      : value);
    return Value(std::move(list));
  }
  if (!data.is_string())
    throw Refusal{"the method '" + name + "' of " + describe(data) +
                  " is not supported"};
  const std::string &text = data.get_ref<const std::string &>();
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    expectArguments(name, arguments, 0, 1);
    if (arguments.values.empty())
      return Value(Json(stripSpace(text, name[0] != 'r', name[0] != 'l')));
    const std::string &set = stringOf(arguments.values[0], name);
    expectAscii(set, name);
    return Value(Json(strip(text, set, name[0] != 'r', name[0] != 'l')));
  }
  if (name == "upper" || name == "lower") {
    expectArguments(name, arguments, 0, 0);
    return Value(Json(changeCase(text, name == "upper" ? toupper : tolower)));
  }
  if (name == "startswith" || name == "endswith") {
    expectArguments(name, arguments, 1, 1);
    return Value(
        Json(startsOrEnds(text, arguments.values[0], name == "startswith")));
  }
  if (name == "split") {
    expectArguments(name, arguments, 0, 1);
    return split(text, arguments);
  }
  if (name == "replace") {
    expectArguments(name, arguments, 2, 2);
    return Value(Json(replaceAll(text, stringOf(arguments.values[0], name),
                                 stringOf(arguments.values[1], name))));
  }
  throw Refusal{"the method '" + name + "' of strings is not supported"};
}

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
  return bounded(std::move(list));
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
    if (text.size() > (16 << 20))
      break;
  }
  return bounded(Json(text));
}

/// Those elements whose attribute passes a test, or does not.
static Value selectByAttribute(const Value &operand, const Arguments &arguments,
                               bool isKept) {
  expectArguments("selectattr", arguments, 1, 3);
  const std::string &attribute = stringOf(arguments.values[0], "selectattr");
  Arguments rest;
  if (arguments.values.size() == 3)
    rest.values.push_back(arguments.values[2]);
  Json kept = Json::array();
  for (const Value &element : operand.elements()) {
    Value value = element.attribute(attribute);
    bool passes = arguments.values.size() == 1
                      ? value.isTrue()
                      : applyTest(stringOf(arguments.values[1], "selectattr"),
                                  value, rest);
    if (passes == isKept)
      kept.push_back(element.data());
  }
  return Value(std::move(kept));
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
    return Value(Json(int64_t(operand.elements().size())));
  if (name == "first" || name == "last") {
    std::vector<Value> all = operand.elements();
    return all.empty() ? Value() : name == "first" ? all.front() : all.back();
  }
  if (name == "list") {
    Json list = Json::array();
    for (const Value &element : operand.elements())
      list.push_back(element.data());
    return Value(std::move(list));
  }
  return callMethod("items", operand, arguments);
}

bool jinja::applyTest(const std::string &name, const Value &operand,
                      const Arguments &arguments) {
  const Json &data = operand.data();
  bool isDefined = operand.isDefined();
  if (name == "equalto" || name == "eq") {
    expectArguments(name, arguments, 1, 1);
    return data == arguments.values[0].data();
  }
  if (!arguments.values.empty() || !arguments.named.empty())
    throw Refusal{"the test '" + name + "' with arguments is not supported"};
  if (name == "defined" || name == "undefined")
    return isDefined == (name == "defined");
  if (name == "none")
    return isDefined && !operand.isNamespace() && data.is_null();
  if (name == "string")
    return data.is_string();
  if (name == "number")
    return data.is_number();
  if (name == "integer")
    return data.is_number_integer();
  if (name == "boolean")
    return data.is_boolean();
  if (name == "true" || name == "false")
    return data.is_boolean() && data.get<bool>() == (name == "true");
  if (name == "mapping")
    return data.is_object();
  if (name == "iterable" || name == "sequence")
    return data.is_array() || data.is_string() || data.is_object();
  throw Refusal{"the test '" + name + "' is not supported"};
}
