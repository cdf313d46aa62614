// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expressions.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Functions.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Printing.h"
#include "runtime/text/jinja/Renderer.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

Value Renderer::lookUp(const std::string &name) {
  for (const Scope *at = scope.get(); at; at = at->parent.get())
    if (auto found = at->names.find(name); found != at->names.end())
      return found->second;
  auto found = functions.find(name);
  if (found == functions.end())
    found = functions.emplace(name, globalFunction(context, name)).first;
  return found->second;
}

Value Renderer::evaluate(const Expression &e) {
  Level level(context, e.line);
  return evaluateKind(e);
}

Value Renderer::evaluateKind(const Expression &e) {
  switch (e.kind) {
  case Expression::Literal:
    return e.value;
  case Expression::Name:
    return lookUp(e.text);
  case Expression::List:
  case Expression::Tuple:
    return evaluateElements(e);
  case Expression::Dictionary:
    return evaluateDictionary(e);
  case Expression::Attribute: {
    Value object = evaluate(*e.parts[0]);
    context.line = e.line;
    return attributeOf(context, object, e.text);
  }
  case Expression::Subscript: {
    Value object = evaluate(*e.parts[0]), index = evaluate(*e.parts[1]);
    context.line = e.line;
    return elementOf(context, object, index);
  }
  case Expression::Slice:
    return evaluateSlice(e);
  case Expression::Call:
    return evaluateCall(e);
  case Expression::Filter:
    return evaluateFilter(e, nullptr);
  case Expression::Test:
    return evaluateTest(e);
  case Expression::Not:
    return Value(!evaluate(*e.parts[0]).isTrue());
  case Expression::Unary: {
    Value operand = evaluate(*e.parts[0]);
    context.line = e.line;
    return applyUnary(e.text, operand);
  }
  case Expression::Binary:
    return evaluateBinary(e);
  // They decide without the right one where they can, and give an operand.
  case Expression::And: {
    Value left = evaluate(*e.parts[0]);
    return left.isTrue() ? evaluate(*e.parts[1]) : left;
  }
  case Expression::Or: {
    Value left = evaluate(*e.parts[0]);
    return left.isTrue() ? left : evaluate(*e.parts[1]);
  }
  case Expression::Compare:
    return evaluateComparison(e);
  case Expression::Join:
    return evaluateJoin(e);
  case Expression::Choice:
    if (evaluate(*e.parts[1]).isTrue())
      return evaluate(*e.parts[0]);
    return e.parts[2] ? evaluate(*e.parts[2]) : Value();
  }
  return Value();
}

Value Renderer::evaluateElements(const Expression &e) {
  ListBuilder list(context);
  for (const ExpressionPtr &part : e.parts)
    list.add(evaluate(*part));
  return e.kind == Expression::Tuple ? Value::tuple(list.take())
                                     : list.takeList();
}

Value Renderer::evaluateDictionary(const Expression &e) {
  Dictionary dictionary;
  for (size_t i = 0; i < e.parts.size(); i += 2) {
    Value key = evaluate(*e.parts[i]);
    dictionary.set(context, key, evaluate(*e.parts[i + 1]));
  }
  return Value(std::move(dictionary));
}

Value Renderer::evaluateBinary(const Expression &e) {
  Value left = evaluate(*e.parts[0]), right = evaluate(*e.parts[1]);
  context.line = e.line;
  return applyBinary(context, e.text, left, right);
}

// "a < b < c" is "a < b and b < c".
Value Renderer::evaluateComparison(const Expression &e) {
  Value left = evaluate(*e.parts[0]);
  for (size_t i = 0; i < e.names.size(); ++i) {
    Value right = evaluate(*e.parts[i + 1]);
    context.line = e.line;
    if (!compare(context, e.names[i], left, right))
      return Value(false);
    left = right;
  }
  return Value(true);
}

Value Renderer::evaluateJoin(const Expression &e) {
  TextBuilder text(context);
  std::vector<Value> operands;
  for (const ExpressionPtr &part : e.parts)
    operands.push_back(evaluate(*part));
  context.line = e.line;
  for (const Value &operand : operands)
    text.add(textOfAny(context, operand));
  return text.takeValue();
}

Value Renderer::evaluateSlice(const Expression &e) {
  Value object = evaluate(*e.parts[0]);
  std::optional<int64_t> bounds[3];
  for (size_t i = 0; i < 3; ++i)
    if (e.parts[i + 1])
      if (Value bound = evaluate(*e.parts[i + 1]); !bound.isNone())
        bounds[i] = integerOf(bound, "a slice");
  context.line = e.line;
  return sliceOf(context, object, bounds[0], bounds[1], bounds[2]);
}

Arguments Renderer::argumentsOf(const Expression &e) {
  Arguments arguments;
  for (size_t i = 1; i < e.parts.size(); ++i) {
    const std::string &name = e.names[i - 1];
    Value value = evaluate(*e.parts[i]);
    if (name.empty()) {
      arguments.values.push_back(value);
    } else if (name == "*") {
      for (const Value &element : elementsOf(context, value))
        arguments.values.push_back(element);
    } else if (name == "**") {
      if (!value.isDictionary())
        throw Refusal{"'**' takes an object, found " + describe(value)};
      for (const auto &[key, element] : value.dictionary().entries)
        arguments.named.emplace_back(textOfAny(context, key), element);
    } else {
      arguments.named.emplace_back(name, value);
    }
  }
  for (size_t i = 0; i < arguments.named.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      context.addWork(1);
      if (arguments.named[i].first == arguments.named[k].first)
        throw Refusal{"the argument '" + arguments.named[i].first +
                      "' comes twice"};
    }
  return arguments;
}

Value Renderer::evaluateCall(const Expression &e, const Value *caller) {
  const Expression &callee = *e.parts[0];
  bool mayBeMethod = callee.kind == Expression::Attribute;
  Value object = evaluate(mayBeMethod ? *callee.parts[0] : callee);
  // A method is called at once, and no object is made of it.
  bool isMethod = mayBeMethod && hasMethod(object, callee.text);
  if (mayBeMethod && !isMethod)
    object = attributeOf(context, object, callee.text);
  Arguments arguments = argumentsOf(e);
  if (caller)
    arguments.named.emplace_back("caller", *caller);
  context.line = e.line;
  if (isMethod)
    return callMethod(context, callee.text, object, arguments);
  if (!object.isObject()) {
    std::string name = callee.kind == Expression::Name || mayBeMethod
                           ? "'" + callee.text + "': "
                           : "";
    throw Refusal{name + "expected a function, found " + describe(object)};
  }
  return object.object().call(context, arguments);
}

Value Renderer::evaluateFilter(const Expression &e, const Value *blockText) {
  Value operand;
  if (!e.parts[0])
    operand = *blockText;
  else if (e.parts[0]->kind == Expression::Filter) {
    Level level(context, e.parts[0]->line);
    operand = evaluateFilter(*e.parts[0], blockText);
  } else
    operand = evaluate(*e.parts[0]);
  Arguments arguments = argumentsOf(e);
  context.line = e.line;
  context.step();
  return applyFilter(context, e.text, operand, arguments);
}

Value Renderer::evaluateTest(const Expression &e) {
  Value operand = evaluate(*e.parts[0]);
  Arguments arguments = argumentsOf(e);
  context.line = e.line;
  return Value(applyTest(context, e.text, operand, arguments));
}
