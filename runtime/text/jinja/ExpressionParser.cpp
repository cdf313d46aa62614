// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Numbers.h"
#include "runtime/text/jinja/Parser.h"

#include <algorithm>
#include <array>

using namespace heddle::text;
using namespace heddle::text::jinja;

ExpressionPtr ExpressionParser::make(Expression::Kind kind, std::string text) {
  // Chains make trees as deep as they are long.
  if (++parts > kMostParts)
    fail("a tag has more than " + std::to_string(kMostParts) + " parts");
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->line = token().line;
  expression->text = std::move(text);
  return expression;
}

ExpressionPtr ExpressionParser::around(Expression::Kind kind,
                                       ExpressionPtr inner, std::string text) {
  ExpressionPtr result = make(kind, std::move(text));
  result->parts.push_back(std::move(inner));
  return result;
}

ExpressionPtr ExpressionParser::binary(Expression::Kind kind, std::string text,
                                       ExpressionPtr left,
                                       ExpressionPtr right) {
  ExpressionPtr both = around(kind, std::move(left), std::move(text));
  both->parts.push_back(std::move(right));
  return both;
}

//===-- operators, the loosest first --------------------------------------===//

ExpressionPtr ExpressionParser::parseTuple(bool takesChoice,
                                           std::string_view endWord,
                                           bool mayBeEmpty) {
  Level level(*this);
  auto isEnd = [&] {
    return token().kind == Token::End || isOperator(")") ||
           (!endWord.empty() && isWord(endWord));
  };
  if (mayBeEmpty && isEnd())
    return make(Expression::Tuple);
  ExpressionPtr first = takesChoice ? parseExpression() : parseOr();
  if (!isOperator(","))
    return first;
  ExpressionPtr tuple = around(Expression::Tuple, std::move(first));
  while (take(",") && !isEnd())
    tuple->parts.push_back(takesChoice ? parseExpression() : parseOr());
  return tuple;
}

ExpressionPtr ExpressionParser::parseExpression() {
  Level level(*this);
  ExpressionPtr value = parseOr();
  while (takeWord("if")) {
    ExpressionPtr choice = around(Expression::Choice, std::move(value));
    choice->parts.push_back(parseOr());
    choice->parts.push_back(takeWord("else") ? parseExpression() : nullptr);
    value = std::move(choice);
  }
  return value;
}

ExpressionPtr ExpressionParser::parseOr() {
  ExpressionPtr left = parseAnd();
  while (takeWord("or"))
    left = binary(Expression::Or, "or", std::move(left), parseAnd());
  return left;
}

ExpressionPtr ExpressionParser::parseAnd() {
  ExpressionPtr left = parseNot();
  while (takeWord("and"))
    left = binary(Expression::And, "and", std::move(left), parseNot());
  return left;
}

ExpressionPtr ExpressionParser::parseNot() {
  Level level(*this);
  if (takeWord("not"))
    return around(Expression::Not, parseNot());
  return parseComparison();
}

ExpressionPtr ExpressionParser::parseComparison() {
  ExpressionPtr first = parseSum();
  ExpressionPtr comparison;
  while (true) {
    std::string name;
    static constexpr std::array<std::string_view, 6> operators = {
        "==", "!=", "<=", ">=", "<", ">"};
    for (std::string_view text : operators)
      if (isOperator(text))
        name = text;
    if (isWord("in"))
      name = "in";
    if (isWord("not") && nextToken().kind == Token::Name &&
        nextToken().text == "in")
      name = "not in";
    if (name.empty())
      return comparison ? std::move(comparison) : std::move(first);
    at += name == "not in" ? 2 : 1;
    if (!comparison)
      comparison = around(Expression::Compare, std::move(first));
    comparison->names.push_back(name);
    comparison->parts.push_back(parseSum());
  }
}

ExpressionPtr ExpressionParser::parseSum() {
  ExpressionPtr left = parseConcatenation();
  while (isOperator("+") || isOperator("-")) {
    std::string text = tokens[at++].text;
    left =
        binary(Expression::Binary, text, std::move(left), parseConcatenation());
  }
  return left;
}

ExpressionPtr ExpressionParser::parseConcatenation() {
  ExpressionPtr first = parseProduct();
  if (!isOperator("~"))
    return first;
  ExpressionPtr all = around(Expression::Join, std::move(first));
  while (take("~"))
    all->parts.push_back(parseProduct());
  return all;
}

ExpressionPtr ExpressionParser::parseProduct() {
  ExpressionPtr left = parsePower();
  while (isOperator("*") || isOperator("/") || isOperator("//") ||
         isOperator("%")) {
    std::string text = tokens[at++].text;
    left = binary(Expression::Binary, text, std::move(left), parsePower());
  }
  return left;
}

// From the left, other than in Python.
ExpressionPtr ExpressionParser::parsePower() {
  ExpressionPtr left = parseUnary(true);
  while (take("**"))
    left = binary(Expression::Binary, "**", std::move(left), parseUnary(true));
  return left;
}

// Filters and tests are of the number with its sign.
ExpressionPtr ExpressionParser::parseUnary(bool takesFilters) {
  Level level(*this);
  ExpressionPtr value;
  if (isOperator("-") || isOperator("+")) {
    std::string sign = tokens[at++].text;
    value = around(Expression::Unary, parseUnary(false), sign);
  } else {
    value = parsePrimary();
  }
  value = parsePostfix(std::move(value));
  return takesFilters ? parseFilters(std::move(value)) : std::move(value);
}

//===-- what follows a value ----------------------------------------------===//

// Arguments up to ")": values, then names, then "*" and "**".
void ExpressionParser::parseArguments(Expression &call) {
  bool isFirst = true, hasNames = false, hasMany = false, hasManyNamed = false;
  while (!take(")")) {
    if (!isFirst)
      expect(",");
    isFirst = false;
    if (take(")"))
      return;
    std::string name;
    if (take("*")) {
      name = "*";
      if (hasMany || hasManyNamed)
        fail("'*' comes once, and before '**'");
      hasMany = true;
    } else if (take("**")) {
      name = "**";
      if (hasManyNamed)
        fail("'**' comes once");
      hasManyNamed = true;
    } else if (token().kind == Token::Name &&
               nextToken().kind == Token::Operator && nextToken().text == "=") {
      name = tokens[at].text;
      at += 2;
      hasNames = true;
      if (hasManyNamed)
        fail("an argument follows '**'");
    } else if (hasNames || hasMany || hasManyNamed) {
      fail("an argument without a name follows one with a name");
    }
    call.names.push_back(name);
    call.parts.push_back(parseExpression());
  }
}

ExpressionPtr ExpressionParser::parsePostfix(ExpressionPtr value) {
  while (true) {
    if (take(".")) {
      if (token().kind == Token::Integer) {
        value = around(Expression::Subscript, std::move(value));
        value->parts.push_back(parseNumber());
      } else {
        value = around(Expression::Attribute, std::move(value), expectName());
      }
    } else if (take("[")) {
      value = parseSubscript(std::move(value));
    } else if (take("(")) {
      value = around(Expression::Call, std::move(value));
      parseArguments(*value);
    } else {
      return value;
    }
  }
}

std::string ExpressionParser::parseDottedName() {
  std::string name = expectName();
  while (take("."))
    name += "." + expectName();
  return name;
}

ExpressionPtr ExpressionParser::parseFilter(ExpressionPtr value,
                                            bool isInline) {
  while (isInline || take("|")) {
    isInline = false;
    value = around(Expression::Filter, std::move(value), parseDottedName());
    if (take("("))
      parseArguments(*value);
  }
  return value;
}

ExpressionPtr ExpressionParser::parseFilters(ExpressionPtr value) {
  while (true) {
    if (isOperator("|")) {
      value = parseFilter(std::move(value), false);
    } else if (takeWord("is")) {
      value = parseTest(std::move(value));
    } else if (take("(")) {
      value = around(Expression::Call, std::move(value));
      parseArguments(*value);
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::parseTest(ExpressionPtr value) {
  bool isNegative = takeWord("not");
  value = around(Expression::Test, std::move(value), parseDottedName());
  bool beginsValue =
      token().kind == Token::Name || token().kind == Token::String ||
      token().kind == Token::Integer || token().kind == Token::Float ||
      isOperator("[") || isOperator("{");
  if (take("(")) {
    parseArguments(*value);
  } else if (beginsValue && !isWord("else") && !isWord("or") &&
             !isWord("and")) {
    if (isWord("is"))
      fail("tests in a row are not supported");
    value->names.emplace_back();
    value->parts.push_back(parsePostfix(parsePrimary()));
  }
  return isNegative ? around(Expression::Not, std::move(value))
                    : std::move(value);
}

ExpressionPtr ExpressionParser::parseSubscript(ExpressionPtr object) {
  ExpressionPtr first = isOperator(":") ? nullptr : parseExpression();
  if (first && isOperator(",")) {
    first = around(Expression::Tuple, std::move(first));
    while (take(",") && !isOperator("]"))
      first->parts.push_back(parseExpression());
  }
  if (take("]")) {
    object = around(Expression::Subscript, std::move(object));
    object->parts.push_back(std::move(first));
    return object;
  }
  object = around(Expression::Slice, std::move(object));
  object->parts.push_back(std::move(first));
  for (int i = 0; i < 2; ++i) {
    bool isThere = take(":") && !isOperator(":") && !isOperator("]");
    object->parts.push_back(isThere ? parseExpression() : nullptr);
  }
  expect("]");
  return object;
}

//===-- values ------------------------------------------------------------===//

ExpressionPtr ExpressionParser::parseNumber() {
  ExpressionPtr value = make(Expression::Literal);
  const std::string &text = token().text;
  try {
    if (token().kind == Token::Float)
      value->value = Value(parseFloat(text).value());
    else
      value->value = Value(parseInteger(text, 0).value());
  } catch (const Refusal &) {
    fail("the number '" + text + "' is not supported");
  } catch (const std::bad_optional_access &) {
    fail("the number '" + text + "' is not supported");
  }
  ++at;
  return value;
}

ExpressionPtr ExpressionParser::parsePrimary() {
  if (token().kind == Token::Integer || token().kind == Token::Float)
    return parseNumber();
  if (token().kind == Token::String) {
    ExpressionPtr value = make(Expression::Literal);
    std::string text;
    while (token().kind == Token::String) // neighbours are one
      text += tokens[at++].text;
    try {
      value->value = Value(text);
    } catch (const Refusal &refusal) {
      fail(refusal.message);
    }
    return value;
  }
  if (token().kind == Token::Name) {
    ExpressionPtr value = make(Expression::Literal);
    std::string name = tokens[at++].text;
    if (name == "true" || name == "True" || name == "false" || name == "False")
      value->value = Value(name[0] == 't' || name[0] == 'T');
    else if (name == "none" || name == "None")
      value->value = Value::none();
    else {
      value->kind = Expression::Name;
      names.insert(name);
      value->text = std::move(name);
    }
    return value;
  }
  if (take("(")) {
    ExpressionPtr value = parseTuple(true, "", true);
    expect(")");
    return value;
  }
  if (take("["))
    return parseElements(Expression::List, "]");
  if (take("{"))
    return parseElements(Expression::Dictionary, "}");
  fail("expected a value, found '" + token().text + "'");
}

ExpressionPtr ExpressionParser::parseElements(Expression::Kind kind,
                                              std::string_view end) {
  ExpressionPtr list = make(kind);
  while (!take(end)) {
    if (!list->parts.empty())
      expect(",");
    if (take(end))
      break;
    list->parts.push_back(parseExpression());
    if (kind != Expression::Dictionary)
      continue;
    expect(":");
    list->parts.push_back(parseExpression());
  }
  return list;
}
