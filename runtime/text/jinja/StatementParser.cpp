// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements.

#include "runtime/text/Failure.h"
#include "runtime/text/jinja/Parser.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- tokens ------------------------------------------------------------===//

void TokenReader::fail(const std::string &message) const {
  throw Failure(where + ": line " + std::to_string(token().line) + ": " +
                message);
}

bool TokenReader::take(std::string_view text) {
  bool isThere = isOperator(text);
  at += isThere;
  return isThere;
}

bool TokenReader::takeWord(std::string_view word) {
  bool isThere = isWord(word);
  at += isThere;
  return isThere;
}

void TokenReader::expect(std::string_view text) {
  if (!take(text))
    fail("expected '" + std::string(text) + "', found '" + token().text + "'");
}

void TokenReader::expectWord(std::string_view word) {
  if (!takeWord(word))
    fail("expected '" + std::string(word) + "', found '" + token().text + "'");
}

void TokenReader::expectBodyAhead() {
  take(":"); // as in Python
  expectEnd();
}

void TokenReader::expectEnd() {
  if (token().kind != Token::End)
    fail("expected the end of the tag, found '" + token().text + "'");
  ++at;
}

std::string TokenReader::expectName() {
  if (token().kind != Token::Name)
    fail("expected a name, found '" + token().text + "'");
  return tokens[at++].text;
}

TokenReader::Level::Level(TokenReader &reader) : reader(reader) {
  if (++reader.depth > kMostLevels)
    reader.fail("expressions and blocks are nested too deeply");
}

//===-- statements --------------------------------------------------------===//

namespace {

class Parser : public ExpressionParser {
public:
  using ExpressionParser::ExpressionParser;

  Nodes run() {
    Nodes nodes = parseNodes({});
    if (token().kind != Token::Finished)
      fail("'" + tokens[at + 1].text + "' has no beginning");
    return nodes;
  }

private:
  bool isStatement(std::string_view name) const {
    return is(Token::Begin, "{%") && nextToken().text == name;
  }

  // Up to one of the statements `ends`, or to the end.
  Nodes parseNodes(const std::vector<std::string_view> &ends) {
    Level level(*this);
    Nodes nodes;
    while (token().kind != Token::Finished) {
      startTag();
      if (token().kind == Token::Text) {
        nodes.push_back(make(Node::Text));
        nodes.back()->text = tokens[at++].text;
        continue;
      }
      if (is(Token::Begin, "{{")) {
        ++at;
        nodes.push_back(make(Node::Output));
        nodes.back()->expression = parseTuple(true);
        expectEnd();
        continue;
      }
      const std::string &name = nextToken().text;
      if (std::find(ends.begin(), ends.end(), name) != ends.end())
        return nodes;
      if (name.rfind("end", 0) == 0 || name == "else" || name == "elif")
        return nodes; // another statement's end, which the caller reports
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
    if (!isStatement(name))
      fail("'" + std::string(name) + "' is missing");
    at += 2;
    expectEnd();
  }

  // A body, and the statement that ends it.
  Nodes parseBody(std::string_view end) {
    expectBodyAhead();
    Nodes body = parseNodes({end});
    expectStatement(end);
    return body;
  }

  void parseStatement(Nodes &nodes) {
    std::string name = expectName();
    if (name == "if")
      return parseIf(nodes);
    if (name == "for")
      return parseFor(nodes);
    if (name == "set")
      return parseSet(nodes);
    if (name == "macro")
      return parseMacro(nodes);
    if (name == "call")
      return parseCallBlock(nodes);
    if (name == "filter")
      return parseFilterBlock(nodes);
    if (name == "with")
      return parseWith(nodes);
    if (name == "print")
      return parsePrint(nodes);
    if (name == "break" || name == "continue") {
      if (loops == 0)
        fail("'" + name + "' is in no loop");
      nodes.push_back(make(name == "break" ? Node::Break : Node::Continue));
      return expectEnd();
    }
    // What transformers marks the assistant's words with, for training.
    if (name == "generation") {
      auto node = make(Node::Scope);
      int outside = std::exchange(loops, 0);
      node->body = parseBody("endgeneration");
      loops = outside;
      nodes.push_back(std::move(node));
      return;
    }
    --at;
    fail("the statement '" + name + "' is not supported");
  }

  void parseIf(Nodes &nodes) {
    auto node = make(Node::If);
    while (true) {
      startTag();
      ExpressionPtr condition = parseTuple(false);
      expectBodyAhead();
      Nodes body = parseNodes({"elif", "else", "endif"});
      node->branches.push_back({std::move(condition), std::move(body)});
      if (!isStatement("elif"))
        break;
      at += 2;
    }
    if (isStatement("else")) {
      at += 2;
      expectBodyAhead();
      node->branches.push_back({nullptr, parseNodes({"endif"})});
    }
    expectStatement("endif");
    nodes.push_back(std::move(node));
  }

  //===-- targets -------------------------------------------------------===//

  Target parseOneTarget() {
    Level level(*this);
    Target target;
    if (take("(")) {
      target = parseTargets(")");
      expect(")");
      return target;
    }
    target.name = expectName();
    static constexpr std::string_view constants[] = {"true",  "True", "false",
                                                     "False", "none", "None"};
    if (std::find(std::begin(constants), std::end(constants), target.name) !=
        std::end(constants))
      fail("'" + target.name + "' is no name to assign to");
    return target;
  }

  // Names with commas, up to an operator or a word.
  Target parseTargets(std::string_view end) {
    Target first = parseOneTarget();
    if (!isOperator(","))
      return first;
    Target all;
    all.isTuple = true;
    all.elements.push_back(std::move(first));
    while (take(",") && !isOperator(end) && !isWord(end))
      all.elements.push_back(parseOneTarget());
    return all;
  }

  void parseFor(Nodes &nodes) {
    auto node = make(Node::For);
    node->targets.push_back(parseTargets("in"));
    expectWord("in");
    // "if" begins the condition of the loop.
    node->expression = parseTuple(false, "recursive");
    if (takeWord("if"))
      node->condition = parseExpression();
    node->isRecursive = takeWord("recursive");
    expectBodyAhead();
    ++loops;
    node->body = parseNodes({"else", "endfor"});
    --loops;
    if (isStatement("else")) {
      at += 2;
      expectBodyAhead();
      node->otherwise = parseNodes({"endfor"});
    }
    expectStatement("endfor");
    nodes.push_back(std::move(node));
  }

  void parseSet(Nodes &nodes) {
    auto node = make(Node::Set);
    if (token().kind == Token::Name && nextToken().kind == Token::Operator &&
        nextToken().text == ".") {
      Target target;
      target.name = expectName();
      expect(".");
      target.attribute = expectName();
      node->targets.push_back(std::move(target));
    } else {
      node->targets.push_back(parseTargets("="));
    }
    if (take("=")) {
      node->expression = parseTuple(true);
      expectEnd();
    } else {
      node->filter = parseFilter(nullptr, false);
      node->body = parseBody("endset");
    }
    nodes.push_back(std::move(node));
  }

  void parseWith(Nodes &nodes) {
    auto node = make(Node::With);
    while (token().kind != Token::End) {
      if (!node->targets.empty())
        expect(",");
      node->targets.push_back(parseOneTarget());
      expect("=");
      node->values.push_back(parseExpression());
    }
    node->body = parseBody("endwith");
    nodes.push_back(std::move(node));
  }

  void parsePrint(Nodes &nodes) {
    bool isFirst = true;
    while (token().kind != Token::End) {
      if (!isFirst)
        expect(",");
      isFirst = false;
      nodes.push_back(make(Node::Output));
      nodes.back()->expression = parseExpression();
    }
    expectEnd();
  }

  //===-- bodies that are called ------------------------------------------===//

  void parseSignature(Signature &signature) {
    expect("(");
    while (!take(")")) {
      if (!signature.names.empty())
        expect(",");
      std::string name = expectName();
      // Python would have it twice, as the macro's own.
      if (name == "caller" || name == "varargs" || name == "kwargs")
        fail("the parameter '" + name + "' is not supported");
      signature.names.push_back(name);
      if (take("="))
        signature.defaults.push_back(parseExpression());
      else if (!signature.defaults.empty())
        fail("a parameter without a default follows one with a default");
    }
  }

  // The body of a macro or a call block; loops outside of it are none of it.
  void parseCalledBody(Node &node, std::string_view end) {
    std::set<std::string> outside = takeNames();
    int outer = std::exchange(loops, 0);
    node.body = parseBody(end);
    loops = outer;
    std::set<std::string> inside = takeNames();
    node.signature.usesCaller = inside.count("caller");
    node.signature.usesVarargs = inside.count("varargs");
    node.signature.usesKwargs = inside.count("kwargs");
    addNames(std::move(outside));
    addNames(std::move(inside));
  }

  void parseMacro(Nodes &nodes) {
    auto node = make(Node::Macro);
    node->text = expectName();
    parseSignature(node->signature);
    parseCalledBody(*node, "endmacro");
    nodes.push_back(std::move(node));
  }

  void parseCallBlock(Nodes &nodes) {
    auto node = make(Node::CallBlock);
    if (isOperator("("))
      parseSignature(node->signature);
    node->expression = parseExpression();
    if (node->expression->kind != Expression::Call)
      fail("expected a call");
    parseCalledBody(*node, "endcall");
    nodes.push_back(std::move(node));
  }

  void parseFilterBlock(Nodes &nodes) {
    auto node = make(Node::FilterBlock);
    node->filter = parseFilter(nullptr, true);
    node->body = parseBody("endfilter");
    nodes.push_back(std::move(node));
  }

  int loops = 0; ///< around the current statement, in its function
};

} // namespace

Nodes jinja::parse(std::string_view source, const std::string &where) {
  return Parser(tokensOf(source, where), where).run();
}
