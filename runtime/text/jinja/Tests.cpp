// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests, which follow "is".

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Filters.h"
#include "runtime/text/jinja/Functions.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Printing.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {
struct TestCall {
  Context &context;
  const std::string &name;
  const Value &operand;
  const Value &other; ///< of tests with an argument
};
using Test = bool (*)(const TestCall &);
} // namespace

//===-- of one value ------------------------------------------------------===//

static bool isSequenceOfJinja(const TestCall &call) {
  // Whatever has a length and elements by number; generators have not.
  return !call.operand.isDefined() || call.operand.isText() ||
         call.operand.isDictionary() ||
         (call.operand.isSequence() &&
          (call.operand.sequence().type <= Sequence::Range ||
           call.operand.sequence().isTuple()));
}

static bool hasCase(const TestCall &call) {
  Value text(textOfAny(call.context, call.operand));
  return callMethod(call.context, "is" + call.name, text, {}).isTrue();
}

static bool isParity(const TestCall &call) {
  Value rest = applyBinary(call.context, "%", call.operand, Value(int64_t(2)));
  return areEqual(call.context, rest, Value(int64_t(call.name == "odd")));
}

static bool isCallable(const TestCall &call) {
  return !call.operand.isDefined() ||
         (call.operand.isObject() && call.operand.object().isCallable());
}

static bool isFilter(const TestCall &call) {
  const std::string &name = textOf(call.operand, "'filter'");
  for (const FilterTable *table :
       {&textFilters(), &sequenceFilters(), &selectionFilters(),
        &orderFilters(), &numberFilters(), &markupFilters()})
    if (table->count(name))
      return true;
  return name == "random" || name == "urlize";
}

static bool isTest(const TestCall &call);

static const std::map<std::string, Test> &plainTests() {
  static const std::map<std::string, Test> tests = {
      {"boolean",
       [](const TestCall &call) { return call.operand.isBoolean(); }},
      {"callable", isCallable},
      {"defined",
       [](const TestCall &call) { return call.operand.isDefined(); }},
      {"escaped", [](const TestCall &call) { return call.operand.isMarkup(); }},
      {"even", isParity},
      {"false",
       [](const TestCall &call) {
         return call.operand.isBoolean() && !call.operand.isTrue();
       }},
      {"filter", isFilter},
      {"float", [](const TestCall &call) { return call.operand.isFloat(); }},
      {"integer",
       [](const TestCall &call) { return call.operand.isInteger(); }},
      {"iterable",
       [](const TestCall &call) { return isIterable(call.operand); }},
      {"lower", hasCase},
      {"mapping",
       [](const TestCall &call) { return call.operand.isDictionary(); }},
      {"none", [](const TestCall &call) { return call.operand.isNone(); }},
      {"number", [](const TestCall &call) { return call.operand.isNumber(); }},
      {"odd", isParity},
      {"sequence", isSequenceOfJinja},
      {"string", [](const TestCall &call) { return call.operand.isText(); }},
      {"test", isTest},
      {"true",
       [](const TestCall &call) {
         return call.operand.isBoolean() && call.operand.isTrue();
       }},
      {"undefined",
       [](const TestCall &call) { return !call.operand.isDefined(); }},
      {"upper", hasCase}};
  return tests;
}

//===-- of two values -----------------------------------------------------===//

static bool isDivisible(const TestCall &call) {
  Value rest = applyBinary(call.context, "%", call.operand, call.other);
  return areEqual(call.context, rest, Value(int64_t(0)));
}

static bool isSame(const TestCall &call) {
  const Value &a = call.operand, &b = call.other;
  bool isSmall = a.isInteger() && a.integer() >= -5 && a.integer() <= 256;
  // Whether equal texts or numbers are one object hangs on CPython's caches.
  bool isOpen = (a.isText() && b.isText()) || (a.isFloat() && b.isFloat()) ||
                (a.isInteger() && b.isInteger() && !isSmall);
  if (isOpen && areEqual(call.context, a, b))
    throw Refusal{"'sameas' of equal texts or numbers is not supported"};
  return a.isSame(b);
}

template <const char *name> static bool compares(const TestCall &call) {
  return compare(call.context, name, call.operand, call.other);
}

static const std::map<std::string, Test> &binaryTests() {
  static constexpr char eq[] = "==", ne[] = "!=", lt[] = "<",
                        le[] = "<=", gt[] = ">", ge[] = ">=", in[] = "in";
  static const std::map<std::string, Test> tests = {
      {"!=", compares<ne>},          {"<", compares<lt>},
      {"<=", compares<le>},          {"==", compares<eq>},
      {">", compares<gt>},           {">=", compares<ge>},
      {"divisibleby", isDivisible},  {"eq", compares<eq>},
      {"equalto", compares<eq>},     {"ge", compares<ge>},
      {"greaterthan", compares<gt>}, {"gt", compares<gt>},
      {"in", compares<in>},          {"le", compares<le>},
      {"lessthan", compares<lt>},    {"lt", compares<lt>},
      {"ne", compares<ne>},          {"sameas", isSame}};
  return tests;
}

static bool isTest(const TestCall &call) {
  const std::string &name = textOf(call.operand, "'test'");
  return plainTests().count(name) || binaryTests().count(name);
}

bool jinja::applyTest(Context &context, const std::string &name,
                      const Value &operand, const Arguments &arguments) {
  if (auto found = plainTests().find(name); found != plainTests().end()) {
    Parameters none(name, arguments, {});
    return found->second({context, name, operand, Value()});
  }
  auto found = binaryTests().find(name);
  if (found == binaryTests().end())
    throw Refusal{"the test '" + name + "' is not supported"};
  // Python calls what they compare with by other names.
  const char *parameter = name == "divisibleby" ? "num"
                          : name == "in"        ? "seq"
                          : name == "sameas"    ? "other"
                                                : "b";
  Parameters given(name, arguments, {parameter}, 1);
  return found->second({context, name, operand, given.at(0)});
}
