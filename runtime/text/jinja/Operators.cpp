// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Functions.h"

#include <algorithm>
#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

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
    return findPart(container.data().get_ref<const std::string &>(),
                    stringOf(element, "'in' of a string")) != std::string::npos;
  if (container.data().is_object())
    return element.data().is_string() &&
           findField(container.data(),
                     element.data().get_ref<const std::string &>());
  std::vector<Value> all = container.elements();
  return std::any_of(all.begin(), all.end(),
                     [&](const Value &one) { return one == element; });
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
  if (name == "==" || name == "!=")
    return Value(Json((left == right) == (name == "==")));
  if (name == "in" || name == "not in")
    return Value(Json(contains(right, left) == (name == "in")));
  if (name == "~")
    return Value(Json(left.toText() + right.toText()));
  if (name[0] == '<' || name[0] == '>')
    return compare(name, a, b);
  if (name == "+" && a.is_string() && b.is_string())
    return Value(Json(a.get<std::string>() + b.get<std::string>()));
  if (name == "+" && a.is_array() && b.is_array()) {
    ListBuilder list;
    for (const Value *part : {&left, &right})
      for (const Value &element : part->elements())
        list.add(element);
    return list.take();
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
