// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Failure.h"
#include "runtime/text/JinjaTree.h"
#include "runtime/text/Utf8.h"

#include <algorithm>
#include <array>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- tokens ------------------------------------------------------------===//

namespace {

struct Token {
  enum Kind {
    Text, ///< outside of tags
    Begin,
    End, ///< of a tag; the text is "{{" or "{%"
    Name,
    String,
    Integer,
    Float,
    Operator,
    Finished
  };
  Kind kind;
  std::string text;
  int line;
};

class Lexer {
public:
  // One newline at the end of a template is none of its text.
  Lexer(std::string_view source, const std::string &where)
      : source(source.substr(
            0, source.size() - (!source.empty() && source.back() == '\n'))),
        where(where) {}

  std::vector<Token> run() {
    while (at < source.size()) {
      size_t tag = findTag();
      addText(source.substr(at, tag - at), tag);
      if (tag == source.size())
        break;
      readTag(tag);
    }
    add(Token::Finished, "");
    return std::move(tokens);
  }

private:
  void add(Token::Kind kind, std::string text) {
    tokens.push_back({kind, std::move(text), line});
  }

  [[noreturn]] void fail(const std::string &message) const {
    throw Failure(where + ": line " + std::to_string(line) + ": " + message);
  }

  size_t findTag() const {
    for (size_t i = at; i + 1 < source.size(); ++i)
      if (source[i] == '{' && (source[i + 1] == '{' || source[i + 1] == '%' ||
                               source[i + 1] == '#'))
        return i;
    return source.size();
  }

  // Text up to the tag at `tag`: with lstrip_blocks what is in front of a
  // statement or a comment on its line goes, if it is white, and with "{%-" all
  // white space.
  void addText(std::string_view text, size_t tag) {
    std::string kept(text);
    if (removesSpace)
      kept.erase(0, std::min(kept.find_first_not_of(" \t\r\n"), kept.size()));
    else if (removesNewline && !kept.empty()) {
      // trim_blocks: the first newline behind a statement or a comment.
      kept.erase(0, kept.rfind("\r\n", 0) == 0 ? 2 : kept[0] == '\n');
    }
    removesSpace = removesNewline = false;
    if (tag < source.size()) {
      char kind = source[tag + 1];
      char sign = tag + 2 < source.size() ? source[tag + 2] : ' ';
      size_t end = kept.find_last_not_of(" \t\r\n") + 1;
      size_t lineEnd = kept.find_last_not_of(" \t") + 1;
      if (sign == '-')
        kept.erase(end);
      else if (kind != '{' && sign != '+' &&
               (lineEnd ? kept[lineEnd - 1] == '\n'
                        : isLineStart(at + text.size() - kept.size())))
        kept.erase(lineEnd);
    }
    if (!kept.empty())
      add(Token::Text, kept);
    line += int(std::count(text.begin(), text.end(), '\n'));
  }

  bool isLineStart(size_t position) const {
    return position == 0 || source[position - 1] == '\n';
  }

  void readTag(size_t tag) {
    char kind = source[tag + 1];
    at = tag + 2;
    if (at < source.size() && (source[at] == '-' || source[at] == '+'))
      ++at;
    if (kind == '#') {
      size_t end = source.find("#}", at);
      if (end == std::string_view::npos)
        fail("a comment has no end");
      removesSpace = end > at && source[end - 1] == '-';
      removesNewline = true;
      line += int(std::count(source.begin() + at, source.begin() + end, '\n'));
      at = end + 2;
      return;
    }
    std::string close = kind == '{' ? "}}" : "%}";
    add(Token::Begin, kind == '{' ? "{{" : "{%");
    while (true) {
      skipSpace();
      std::string_view rest = source.substr(at);
      if (rest.empty())
        fail("'" + close + "' is missing");
      size_t sign = (rest[0] == '-' || rest[0] == '+') ? 1 : 0;
      if (depth == 0 && rest.substr(sign, 2) == close) {
        removesSpace = sign && rest[0] == '-';
        removesNewline = kind == '%' && !sign;
        at += sign + 2;
        add(Token::End, close);
        return;
      }
      readToken(rest);
    }
  }

  void skipSpace() {
    while (at < source.size() && std::string_view(" \t\r\n").find(source[at]) !=
                                     std::string_view::npos)
      line += source[at++] == '\n';
  }

  static bool isWord(char c) {
    return isalnum(static_cast<unsigned char>(c)) || c == '_';
  }

  void readToken(std::string_view rest) {
    if (rest[0] == '"' || rest[0] == '\'')
      return readString(rest);
    size_t length = 0;
    while (length < rest.size() && isWord(rest[length]))
      ++length;
    if (length && isdigit(static_cast<unsigned char>(rest[0])))
      return readNumber(rest, length);
    if (length) {
      add(Token::Name, std::string(rest.substr(0, length)));
      at += length;
      return;
    }
    for (std::string_view two : {"==", "!=", "<=", ">=", "//", "**"})
      if (rest.substr(0, 2) == two) {
        add(Token::Operator, std::string(two));
        at += 2;
        return;
      }
    if (std::string_view("+-*/%~<>=()[]{}.,:|").find(rest[0]) ==
        std::string_view::npos)
      fail("the character '" + std::string(rest.substr(0, 1)) +
           "' has no meaning here");
    if (rest[0] == '{' || rest[0] == '(' || rest[0] == '[')
      ++depth;
    if (depth && (rest[0] == '}' || rest[0] == ')' || rest[0] == ']'))
      --depth;
    add(Token::Operator, std::string(rest.substr(0, 1)));
    ++at;
  }

  void readNumber(std::string_view rest, size_t length) {
    bool isFloat = false;
    if (length + 1 < rest.size() && rest[length] == '.' &&
        isdigit(static_cast<unsigned char>(rest[length + 1]))) {
      isFloat = true;
      ++length;
      while (length < rest.size() && isWord(rest[length]))
        ++length;
    }
    std::string text(rest.substr(0, length));
    if (text.find_first_not_of("0123456789.") != std::string::npos ||
        text.size() > 18)
      fail("the number '" + text + "' is not supported");
    add(isFloat ? Token::Float : Token::Integer, text);
    at += length;
  }

  void readString(std::string_view rest) {
    std::string text;
    size_t i = 1;
    for (; i < rest.size() && rest[i] != rest[0]; ++i) {
      if (rest[i] != '\\' || i + 1 == rest.size()) {
        text += rest[i];
        continue;
      }
      char c = rest[++i];
      switch (c) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case '\\':
      case '\'':
      case '"':
        text += c;
        break;
      case 'u': {
        std::string digits(rest.substr(i + 1, 4));
        if (digits.size() != 4 ||
            digits.find_first_not_of("0123456789abcdefABCDEF") !=
                std::string::npos)
          fail("expected four digits after \\u");
        appendCharacter(text, char32_t(std::stoul(digits, nullptr, 16)));
        i += 4;
        break;
      }
      default:
        fail(std::string("the escape '\\") + c + "' is not supported");
      }
    }
    if (i == rest.size())
      fail("a string has no end");
    add(Token::String, text);
    line += int(std::count(rest.begin(), rest.begin() + i, '\n'));
    at += i + 1;
  }

  std::string_view source;
  const std::string &where;
  size_t at = 0;
  int line = 1;
  unsigned depth = 0;          ///< of brackets inside of a tag
  bool removesSpace = false;   ///< behind the last tag
  bool removesNewline = false; ///< the same, one
  std::vector<Token> tokens;
};

//===-- statements and expressions ----------------------------------------===//

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

  ExpressionPtr parseUnary() {
    Level level(*this);
    if (!is(Token::Operator, "-") && !is(Token::Operator, "+"))
      return parsePostfix(parsePrimary());
    ExpressionPtr result = make(Expression::Unary, tokens[at++].text);
    result->parts.push_back(parseUnary());
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
        std::string name =
            token().kind == Token::Integer ? tokens[at++].text : expectName();
        value = around(Expression::Attribute, std::move(value), name);
      } else if (take("[")) {
        value = parseSubscript(std::move(value));
      } else if (take("(")) {
        value = around(Expression::Call, std::move(value));
        parseArguments(*value);
      } else if (take("|")) {
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
      value->parts.push_back(parsePrimary());
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
  return Parser(Lexer(source, where).run(), where).run();
}
