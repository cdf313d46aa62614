// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters of numbers.

#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Numbers.h"
#include "runtime/text/jinja/Operators.h"

#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

static Refusal notANumber(const FilterCall &call) {
  return Refusal{"'" + call.name + "' takes a number, found " +
                 describe(call.operand)};
}

static Value absolute(const FilterCall &call) {
  Parameters none(call.name, call.arguments, {});
  if (!call.operand.isNumber())
    throw notANumber(call);
  if (call.operand.isFloat())
    return Value(std::fabs(call.operand.number()));
  return call.operand.integer() < 0 ? applyUnary("-", call.operand)
                                    : Value(call.operand.integer());
}

/// As Python's int() of a float.
static int64_t truncated(double number) {
  if (!(std::fabs(number) < 0x1p63))
    throw Refusal{"a number leaves 64 bits"};
  return int64_t(number);
}

static void expectDefined(const FilterCall &call) {
  if (!call.operand.isDefined())
    throw notANumber(call);
}

static Value toInteger(const FilterCall &call) {
  expectDefined(call);
  Parameters given(call.name, call.arguments, {"default", "base"});
  const Value &value = call.operand;
  if (value.isWhole())
    return Value(value.integer());
  if (value.isFloat() && !std::isnan(value.number()))
    return Value(truncated(value.number()));
  if (value.isText()) {
    if (auto number = parseInteger(value.text(), given.integer(1, 10)))
      return Value(*number);
    auto number = parseFloat(value.text());
    if (number && !std::isnan(*number))
      return Value(truncated(*number));
  }
  return given.find(0) ? given.at(0) : Value(int64_t(0));
}

static Value toFloat(const FilterCall &call) {
  expectDefined(call);
  Parameters given(call.name, call.arguments, {"default"});
  if (call.operand.isNumber())
    return Value(call.operand.number());
  if (call.operand.isText())
    if (auto number = parseFloat(call.operand.text()))
      return Value(*number);
  return given.find(0) ? given.at(0) : Value(0.0);
}

/// Of an integer, to a power of ten: half to even.
static int64_t roundInteger(int64_t number, int64_t digits) {
  if (digits >= 0)
    return number;
  if (digits < -18)
    return 0;
  int64_t unit = 1;
  for (int64_t i = digits; i < 0; ++i)
    unit *= 10;
  int64_t rest = ((number % unit) + unit) % unit, lower = number - rest;
  bool goesUp =
      rest > unit / 2 || (rest * 2 == unit && (lower / unit) % 2 != 0);
  return lower + (goesUp ? unit : 0);
}

static Value roundNumber(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"precision", "method"});
  int64_t digits = given.integer(0, 0);
  std::string method = given.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor")
    throw Refusal{"'round' takes common, ceil or floor, found '" + method +
                  "'"};
  if (!call.operand.isNumber())
    throw notANumber(call);
  if (method == "common") {
    if (call.operand.isWhole())
      return Value(roundInteger(call.operand.integer(), digits));
    return Value(roundFloat(call.operand.number(), digits));
  }
  // Python works on the product, an integer where both factors are.
  Value scale =
      applyBinary(call.context, "**", Value(int64_t(10)), Value(digits));
  Value scaled = applyBinary(call.context, "*", call.operand, scale);
  if (scaled.isWhole())
    return applyBinary(call.context, "/", scaled, scale);
  double number = scaled.number();
  if (!std::isfinite(number))
    throw Refusal{"'round' takes a finite number"};
  double whole = method == "ceil" ? std::ceil(number) : std::floor(number);
  // The integer that Python has between has no sign where it is 0.
  return Value((whole == 0 ? 0 : whole) / scale.number());
}

static Value fileSize(const FilterCall &call) {
  Parameters given(call.name, call.arguments, {"binary"});
  bool isBinary = given.flag(0);
  double bytes = toFloat({call.context, call.name, call.operand, {}}).number();
  if (!call.operand.isNumber() &&
      !(call.operand.isText() && parseFloat(call.operand.text())))
    throw notANumber(call);
  double base = isBinary ? 1024 : 1000;
  if (bytes == 1)
    return Value("1 Byte");
  if (bytes < base)
    return Value(std::to_string(truncated(bytes)) + " Bytes");
  static constexpr std::string_view letters = "kMGTPEZY";
  double unit = base;
  for (size_t i = 0; i < letters.size(); ++i) {
    unit *= base;
    if (bytes >= unit && i + 1 < letters.size())
      continue;
    NumberFormat format;
    format.type = 'f';
    format.precision = 1;
    std::string letter(1, letters[i]);
    if (isBinary)
      letter = (i == 0 ? "K" : letter) + "i";
    return Value(formatFloat(base * bytes / unit, format) + " " + letter + "B");
  }
  return Value();
}

const FilterTable &jinja::numberFilters() {
  static const FilterTable table = {{"abs", absolute},
                                    {"filesizeformat", fileSize},
                                    {"float", toFloat},
                                    {"int", toInteger},
                                    {"round", roundNumber}};
  return table;
}
