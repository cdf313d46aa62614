// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Failure.h"
#include "runtime/text/jinja/Lexer.h"
#include "runtime/text/jinja/Tree.h"

#include <algorithm>
#include <array>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

class Parser {
public:
  Parser(std::vector<Token> tokens, const std::string &where)
      : tokens(std::move(tokens)), where(where) {}

  Nodes run() {
    Nodes nodes = parseNodes({});
    if (token().kind != Token::Finished)
      fail("'" + tokens[at + 1].text + "' has no beginning");
    return nodes;
  }

private:
  const Token &token() const { return tokens[at]; }
  [[noreturn]] void fail(const std::string &message) const {
    throw Failure(where + ": line " + std::to_string(token().line) + ": " +
                  message);
  }
  bool is(Token::Kind kind, std::string_view text) const {
    return token().kind == kind && token().text == text;
  }
  bool take(std::string_view text) {
    if (!is(Token::Operator, text))
      return false;
    ++at;
    return true;
  }
  bool takeWord(std::string_view word) {
    if (!is(Token::Name, word))
      return false;
    ++at;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text))
      fail("expected '" + std::string(text) + "', found '" + token().text +
           "'");
  }
  void expectEnd() {
    if (token().kind != Token::End)
      fail("expected the end of the tag, found '" + token().text + "'");
    ++at;
  }
  std::string expectName() {
    if (token().kind != Token::Name)
      fail("expected a name, found '" + token().text + "'");
    return tokens[at++].text;
  }

  // Nesting is bounded, as each level takes some of the stack.
  struct Level {
    explicit Level(Parser &parser) : parser(parser) {
      if (++parser.depth > 100)
        parser.fail("expressions and blocks are nested too deeply");
    }
    ~Level() { --parser.depth; }
    Parser &parser;
  };

  //===-- statements ------------------------------------------------------===//

  // Up to one of the statements `ends`, or to the end.
  Nodes parseNodes(const std::vector<std::string_view> &ends) {
    Level level(*this);
    Nodes nodes;
    while (token().kind != Token::Finished) {
      expressions = 0;
      if (token().kind == Token::Text) {
        nodes.push_back(make(Node::Text));
        nodes.back()->text = tokens[at++].text;
        continue;
      }
      if (is(Token::Begin, "{{")) {
        nodes.push_back(make(Node::Output));
        ++at;
        nodes.back()->expression = parseExpression();
        expectEnd();
        continue;
      }
      const std::string &name = tokens[at + 1].text;
      if (std::find(ends.begin(), ends.end(), name) != ends.end())
        return nodes;
      if (name.rfind("end", 0) == 0 || name == "else" || name == "elif")
        return nodes; // nobody's here; whoever called says so
      ++at;
      parseStatement(nodes);
    }
    if (!ends.empty())
      fail("'" + std::string(ends.back()) + "' is missing");
    return nodes;
  }

  std::unique_ptr<Node> make(Node::Kind kind) const {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->line = token().line;
    return node;
  }

  void expectStatement(std::string_view name) {
    if (!is(Token::Begin, "{%") || tokens[at + 1].text != name)
      fail("'" + std::string(name) + "' is missing");
    at += 2;
    expectEnd();
  }

  void parseStatement(Nodes &nodes) {
    std::string name = expectName();
    if (name == "if")
      return parseIf(nodes);
    if (name == "for")
      return parseFor(nodes);
    if (name == "set")
      return parseSet(nodes);
    // What transformers marks the assistant's words with, for training.
    if (name == "generation") {
      expectEnd();
      for (auto &node : parseNodes({"endgeneration"}))
        nodes.push_back(std::move(node));
      return expectStatement("endgeneration");
    }
    --at;
    fail("the statement '" + name + "' is not supported");
  }

  void parseIf(Nodes &nodes) {
    auto node = make(Node::If);
    while (true) {
      ExpressionPtr condition = parseExpression();
      expectEnd();
      Nodes body = parseNodes({"elif", "else", "endif"});
      node->branches.push_back({std::move(condition), std::move(body)});
      if (token().kind == Token::Finished || tokens[at + 1].text != "elif")
        break;
      at += 2;
    }
    if (token().kind != Token::Finished && tokens[at + 1].text == "else") {
      at += 2;
      expectEnd();
      node->branches.push_back({nullptr, parseNodes({"endif"})});
    }
    expectStatement("endif");
    nodes.push_back(std::move(node));
  }

  void parseFor(Nodes &nodes) {
    auto node = make(Node::For);
    do
      node->targets.push_back(expectName());
    while (take(","));
    if (!takeWord("in"))
      fail("expected 'in', found '" + token().text + "'");
    // "if" begins the condition of the loop.
    node->expression = parseOr();
    if (takeWord("if"))
      node->condition = parseExpression();
    expectEnd();
    node->body = parseNodes({"else", "endfor"});
    if (token().kind != Token::Finished && tokens[at + 1].text == "else") {
      at += 2;
      expectEnd();
      node->otherwise = parseNodes({"endfor"});
    }
    expectStatement("endfor");
    nodes.push_back(std::move(node));
  }

  void parseSet(Nodes &nodes) {
    auto node = make(Node::Set);
    do {
      std::string target = expectName();
      if (take("."))
        target += "." + expectName();
      node->targets.push_back(target);
    } while (take(","));
    if (take("=")) {
      node->expression = parseExpression();
      expectEnd();
    } else {
      expectEnd();
      node->body = parseNodes({"endset"});
      expectStatement("endset");
    }
    nodes.push_back(std::move(node));
  }

  //===-- expressions, the loosest first ----------------------------------===//

  ExpressionPtr make(Expression::Kind kind, std::string text = "") {
    // Chains make trees as deep as they are long.
    if (++expressions > 500)
      fail("a tag has more than 500 parts");
    auto expression = std::make_unique<Expression>();
    expression->kind = kind;
    expression->line = token().line;
    expression->text = std::move(text);
    return expression;
  }

  ExpressionPtr binary(std::string text, ExpressionPtr left,
                       ExpressionPtr right) {
    ExpressionPtr both = make(Expression::Binary, std::move(text));
    both->parts.push_back(std::move(left));
    both->parts.push_back(std::move(right));
    return both;
  }

  ExpressionPtr parseExpression() {
    Level level(*this);
    ExpressionPtr value = parseOr();
    while (takeWord("if")) {
      ExpressionPtr choice = make(Expression::Choice);
      choice->parts.push_back(std::move(value));
      choice->parts.push_back(parseOr());
      choice->parts.push_back(takeWord("else") ? parseExpression() : nullptr);
      value = std::move(choice);
    }
    return value;
  }

  ExpressionPtr parseOr() {
    ExpressionPtr left = parseAnd();
    while (takeWord("or"))
      left = binary("or", std::move(left), parseAnd());
    return left;
  }

  ExpressionPtr parseAnd() {
    ExpressionPtr left = parseNot();
    while (takeWord("and"))
      left = binary("and", std::move(left), parseNot());
    return left;
  }

  ExpressionPtr parseNot() {
    Level level(*this);
    if (!takeWord("not"))
      return parseComparison();
    ExpressionPtr result = make(Expression::Unary, "not");
    result->parts.push_back(parseNot());
    return result;
  }

  ExpressionPtr parseComparison() {
    ExpressionPtr left = parseSum();
    const Expression *comparison = nullptr;
    while (true) {
      if (takeWord("in")) {
        left = binary("in", std::move(left), parseSum());
        continue;
      }
      if (is(Token::Name, "not") && tokens[at + 1].kind == Token::Name &&
          tokens[at + 1].text == "in") {
        at += 2;
        left = binary("not in", std::move(left), parseSum());
        continue;
      }
      static constexpr std::array<std::string_view, 6> operators = {
          "==", "!=", "<=", ">=", "<", ">"};
      auto found = std::find_if(
          operators.begin(), operators.end(),
          [&](std::string_view text) { return is(Token::Operator, text); });
      if (found == operators.end())
        return left;
      // In a row they mean something else in Python.
      if (left.get() == comparison)
        fail("comparisons in a row are not supported");
      ++at;
      left = binary(std::string(*found), std::move(left), parseSum());
      comparison = left.get();
    }
  }

  ExpressionPtr parseSum() {
    ExpressionPtr left = parseConcatenation();
    while (is(Token::Operator, "+") || is(Token::Operator, "-")) {
      std::string text = tokens[at++].text;
      left = binary(text, std::move(left), parseConcatenation());
    }
    return left;
  }

  ExpressionPtr parseConcatenation() {
    ExpressionPtr left = parseProduct();
    while (take("~"))
      left = binary("~", std::move(left), parseProduct());
    return left;
  }

  ExpressionPtr parseProduct() {
    ExpressionPtr left = parseUnary();
    while (is(Token::Operator, "*") || is(Token::Operator, "/") ||
           is(Token::Operator, "//") || is(Token::Operator, "%")) {
      std::string text = tokens[at++].text;
      left = binary(text, std::move(left), parseUnary());
    }
    return left;
  }

  // Filters and tests are of the number with its sign.
  ExpressionPtr parseUnary() { return parseFilters(parseSigned()); }

  ExpressionPtr parseSigned() {
    Level level(*this);
    if (!is(Token::Operator, "-") && !is(Token::Operator, "+"))
      return parsePostfix(parsePrimary());
    ExpressionPtr result = make(Expression::Unary, tokens[at++].text);
    result->parts.push_back(parseSigned());
    return result;
  }

  ExpressionPtr around(Expression::Kind kind, ExpressionPtr inner,
                       std::string text = "") {
    ExpressionPtr result = make(kind, std::move(text));
    result->parts.push_back(std::move(inner));
    return result;
  }

  // Arguments up to ")", of which those with a name come last.
  void parseArguments(Expression &call) {
    while (!take(")")) {
      if (call.parts.size() > 1)
        expect(",");
      if (take(")"))
        return;
      std::string name;
      if (token().kind == Token::Name && tokens[at + 1].text == "=" &&
          tokens[at + 1].kind == Token::Operator) {
        name = tokens[at].text;
        at += 2;
      } else if (!call.names.empty() && !call.names.back().empty()) {
        fail("an argument without a name follows one with a name");
      }
      call.names.push_back(name);
      call.parts.push_back(parseExpression());
    }
  }

  ExpressionPtr parsePostfix(ExpressionPtr value) {
    while (true) {
      if (take(".")) {
        if (token().kind == Token::Integer) {
          value = around(Expression::Subscript, std::move(value));
          value->parts.push_back(parsePrimary());
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

  ExpressionPtr parseFilters(ExpressionPtr value) {
    while (true) {
      if (take("|")) {
        value = around(Expression::Filter, std::move(value), expectName());
        if (take("("))
          parseArguments(*value);
      } else if (takeWord("is")) {
        value = parseTest(std::move(value));
      } else {
        return value;
      }
    }
  }

  ExpressionPtr parseTest(ExpressionPtr value) {
    bool isNegative = takeWord("not");
    value = around(Expression::Test, std::move(value), expectName());
    if (take("("))
      parseArguments(*value);
    else if (token().kind == Token::String || token().kind == Token::Integer)
      value->parts.push_back(parsePostfix(parsePrimary()));
    return isNegative ? around(Expression::Unary, std::move(value), "not")
                      : std::move(value);
  }

  ExpressionPtr parseSubscript(ExpressionPtr object) {
    ExpressionPtr first =
        is(Token::Operator, ":") ? nullptr : parseExpression();
    if (take("]")) {
      object = around(Expression::Subscript, std::move(object));
      object->parts.push_back(std::move(first));
      return object;
    }
    object = around(Expression::Slice, std::move(object));
    object->parts.push_back(std::move(first));
    for (int i = 0; i < 2; ++i) {
      bool isThere =
          take(":") && !is(Token::Operator, ":") && !is(Token::Operator, "]");
      object->parts.push_back(isThere ? parseExpression() : nullptr);
    }
    expect("]");
    return object;
  }

  ExpressionPtr parsePrimary() {
    ExpressionPtr value = make(Expression::Literal);
    switch (token().kind) {
    case Token::String:
      // Neighbours are one.
      value->value = "";
      for (std::string text; token().kind == Token::String;) {
        text += tokens[at++].text;
        value->value = text;
      }
      return value;
    case Token::Integer:
      value->value = int64_t(std::stoll(tokens[at++].text));
      return value;
    case Token::Float:
      value->value = std::stod(tokens[at++].text);
      return value;
    case Token::Name: {
      std::string name = tokens[at++].text;
      if (name == "true" || name == "True" || name == "false" ||
          name == "False")
        value->value = name[0] == 't' || name[0] == 'T';
      else if (name != "none" && name != "None") {
        value->kind = Expression::Name;
        value->text = name;
      }
      return value;
    }
    default:
      break;
    }
    if (take("("))
      return parseGroup();
    if (take("["))
      return parseElements(Expression::List, "]");
    if (take("{"))
      return parseElements(Expression::Dictionary, "}");
    fail("expected a value, found '" + token().text + "'");
  }

  // "(a)", or the tuple "(a, b)", which is a list here.
  ExpressionPtr parseGroup() {
    ExpressionPtr first = parseExpression();
    if (take(")"))
      return first;
    expect(",");
    ExpressionPtr list = parseElements(Expression::List, ")");
    list->parts.insert(list->parts.begin(), std::move(first));
    return list;
  }

  ExpressionPtr parseElements(Expression::Kind kind, std::string_view end) {
    ExpressionPtr list = make(kind);
    while (!take(end)) {
      list->parts.push_back(parseExpression());
      if (kind == Expression::Dictionary) {
        expect(":");
        list->parts.push_back(parseExpression());
      }
      if (!take(",") && !is(Token::Operator, end))
        fail("expected ',' or '" + std::string(end) + "', found '" +
             token().text + "'");
    }
    return list;
  }

  std::vector<Token> tokens;
  const std::string &where;
  size_t at = 0;
  int depth = 0;
  int expressions = 0; ///< of the current tag
};

} // namespace

Nodes jinja::parse(std::string_view source, const std::string &where) {
  return Parser(tokensOf(source, where), where).run();
}
