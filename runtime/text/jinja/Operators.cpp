// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Operators.h"

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>
#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- comparisons -------------------------------------------------------===//

// long double holds every integer of 64 bits and every double.
static long double exact(const Value &value) {
  return value.isFloat() ? static_cast<long double>(value.number())
                         : static_cast<long double>(value.integer());
}

static bool areSequencesEqual(Context &context, const Sequence &a,
                              const Sequence &b) {
  bool areAlike = a.type == b.type || (a.isTuple() && b.isTuple());
  // Other views of Python's are equal to themselves alone, or are sets.
  if (!areAlike || a.type == Sequence::Values)
    return false;
  auto sameOrEqual = [&](const Value &x, const Value &y) {
    return x.isSame(y) || areEqual(context, x, y);
  };
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(),
                    b.elements.end(), sameOrEqual);
}

static bool areObjectsEqual(Context &context, const Dictionary &a,
                            const Dictionary &b) {
  if (a.entries.size() != b.entries.size())
    return false;
  for (const auto &[key, value] : a.entries) {
    const Value *other = b.find(context, key);
    if (!other || !(value.isSame(*other) || areEqual(context, value, *other)))
      return false;
  }
  return true;
}

bool jinja::areEqual(Context &context, const Value &left, const Value &right) {
  context.addWork(sizeof(Value));
  if (left.isNumber() && right.isNumber())
    return exact(left) == exact(right);
  if (left.isText() && right.isText()) {
    context.addWork(
        left.text().size() == right.text().size() ? left.text().size() : 0);
    return left.text() == right.text();
  }
  if (left.isSame(right))
    return true;
  if (left.isSequence() && right.isSequence())
    return areSequencesEqual(context, left.sequence(), right.sequence());
  return left.isDictionary() && right.isDictionary() &&
         areObjectsEqual(context, left.dictionary(), right.dictionary());
}

bool jinja::isLess(Context &context, const Value &left, const Value &right) {
  context.addWork(sizeof(Value));
  if (left.isNumber() && right.isNumber())
    return exact(left) < exact(right);
  if (left.isText() && right.isText()) {
    context.addWork(std::min(left.text().size(), right.text().size()));
    return left.text() < right.text();
  }
  bool areLists = left.isSequence() && right.isSequence();
  if (areLists) {
    const Sequence &a = left.sequence(), &b = right.sequence();
    areLists = (a.type == Sequence::List && b.type == Sequence::List) ||
               (a.isTuple() && b.isTuple());
    for (size_t i = 0; areLists; ++i) {
      if (i >= a.elements.size() || i >= b.elements.size())
        return a.elements.size() < b.elements.size();
      const Value &x = a.elements[i], &y = b.elements[i];
      if (!x.isSame(y) && !areEqual(context, x, y))
        return isLess(context, x, y);
    }
  }
  throw Refusal{"an order of " + describe(left) + " and " + describe(right) +
                " is not known"};
}

std::vector<std::pair<Value, Value>>
jinja::sortedEntries(Context &context, const Dictionary &object) {
  auto entries = object.entries;
  context.addWork(entries.size() * sizeof(entries[0]));
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto &a, const auto &b) {
                     return isLess(context, a.first, b.first);
                   });
  return entries;
}

static bool contains(Context &context, const Value &container,
                     const Value &element) {
  if (container.isText()) {
    const std::string &text = container.text();
    if (!element.isText())
      throw Refusal{"'in' of a text takes a text, found " + describe(element)};
    context.addWork(text.size() + element.text().size());
    return findPart(text, element.text()) != std::string_view::npos;
  }
  if (container.isDictionary())
    return container.dictionary().find(context, element);
  if (container.isSequence() && container.sequence().type == Sequence::Keys)
    hashText(context, element); // as Python refuses what is no key
  Cursor cursor(context, container);
  for (Value one; cursor.next(one);)
    if (one.isSame(element) || areEqual(context, one, element))
      return true;
  return false;
}

bool jinja::compare(Context &context, const std::string &name,
                    const Value &left, const Value &right) {
  if (name == "==")
    return areEqual(context, left, right);
  if (name == "!=")
    return !areEqual(context, left, right);
  if (name == "in")
    return contains(context, right, left);
  if (name == "not in")
    return !contains(context, right, left);
  // Comparisons with what is no number are false.
  if ((left.isFloat() && std::isnan(left.number())) ||
      (right.isFloat() && std::isnan(right.number())))
    if (left.isNumber() && right.isNumber())
      return false;
  if (name == "<")
    return isLess(context, left, right);
  if (name == ">")
    return isLess(context, right, left);
  return name == "<=" ? !isLess(context, right, left)
                      : !isLess(context, left, right);
}

//===-- numbers -----------------------------------------------------------===//

static Refusal tooLarge() { return Refusal{"a number leaves 64 bits"}; }

Value jinja::applyUnary(const std::string &name, const Value &operand) {
  if (!operand.isNumber())
    throw Refusal{"'" + name + "' takes a number, found " + describe(operand)};
  bool isMinus = name == "-";
  if (operand.isFloat())
    return Value(isMinus ? -operand.number() : operand.number());
  int64_t result = operand.integer();
  if (isMinus && __builtin_sub_overflow(int64_t(0), result, &result))
    throw tooLarge();
  return Value(result);
}

static int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  if (base == 0 || base == 1 || exponent == 0)
    return exponent == 0 ? 1 : base;
  if (base == -1)
    return exponent % 2 ? -1 : 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result))
      throw tooLarge();
  return result;
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
  else if (name == "**")
    result = power(a, b);
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
    throw tooLarge();
  return Value(result);
}

/// As Python's float_divmod, whose remainder has the sign of `b`.
static double floorDivide(double a, double b, double &remainder) {
  remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  if (quotient == 0)
    return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

static Value floats(const std::string &name, double a, double b) {
  if (name == "+")
    return Value(a + b);
  if (name == "-")
    return Value(a - b);
  if (name == "*")
    return Value(a * b);
  if (name == "**") {
    if (a == 0 && b < 0)
      throw Refusal{"division by 0"};
    double result = std::pow(a, b);
    if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
      throw Refusal{"a complex number is not supported"};
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
      throw Refusal{"a power is too large"};
    return Value(result);
  }
  if (b == 0)
    throw Refusal{"division by 0"};
  if (name == "/")
    return Value(a / b);
  double remainder = 0, quotient = floorDivide(a, b, remainder);
  return Value(name == "%" ? remainder : quotient);
}

static Value divide(int64_t a, int64_t b) {
  if (b == 0)
    throw Refusal{"division by 0"};
  return Value(
      double(static_cast<long double>(a) / static_cast<long double>(b)));
}

static Value arithmetic(const std::string &name, const Value &left,
                        const Value &right) {
  bool areWhole = left.isWhole() && right.isWhole();
  if (areWhole && name == "/")
    return divide(left.integer(), right.integer());
  if (areWhole && !(name == "**" && right.integer() < 0))
    return integers(name, left.integer(), right.integer());
  return floats(name, left.number(), right.number());
}

//===-- texts and lists ---------------------------------------------------===//

static Value addTexts(Context &context, const Value &left, const Value &right) {
  bool isMarkup = left.isMarkup() || right.isMarkup();
  TextBuilder text(context);
  for (const Value *part : {&left, &right})
    text.add(isMarkup && !part->isMarkup() ? escapeHtml(part->text())
                                           : part->text());
  return isMarkup ? Value::markup(text.take()) : text.takeValue();
}

static Value addLists(Context &context, const Value &left, const Value &right) {
  ListBuilder list(context);
  for (const Value *part : {&left, &right})
    for (const Value &element : part->sequence().elements)
      list.add(element);
  return left.sequence().isTuple() ? Value::tuple(list.take())
                                   : list.takeList();
}

static Value repeat(Context &context, const Value &value, int64_t count) {
  auto times = size_t(std::max<int64_t>(count, 0));
  if (value.isText()) {
    TextBuilder text(context);
    text.add(times, value.text());
    return value.isMarkup() ? Value::markup(text.take()) : text.takeValue();
  }
  ListBuilder list(context);
  const std::vector<Value> &elements = value.sequence().elements;
  for (size_t i = 0; i < times && !elements.empty(); ++i)
    for (const Value &element : elements)
      list.add(element);
  return value.sequence().isTuple() ? Value::tuple(list.take())
                                    : list.takeList();
}

/// Lists or tuples, and no views.
static bool isPlain(const Value &value) {
  return value.isSequence() && (value.sequence().type == Sequence::List ||
                                value.sequence().isTuple());
}

Value jinja::applyBinary(Context &context, const std::string &name,
                         const Value &left, const Value &right) {
  if (left.isNumber() && right.isNumber())
    return arithmetic(name, left, right);
  if (name == "+" && left.isText() && right.isText())
    return addTexts(context, left, right);
  if (name == "+" && isPlain(left) && isPlain(right) &&
      left.sequence().isTuple() == right.sequence().isTuple())
    return addLists(context, left, right);
  if (name == "*" && right.isWhole() && (left.isText() || isPlain(left)))
    return repeat(context, left, right.integer());
  if (name == "*" && left.isWhole() && (right.isText() || isPlain(right)))
    return repeat(context, right, left.integer());
  if (name == "%" && left.isText())
    return formatPercent(context, left, right);
  throw Refusal{"'" + name + "' does not take " + describe(left) + " and " +
                describe(right)};
}
