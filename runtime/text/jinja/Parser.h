// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the parsers of statements and of expressions share.

#ifndef HEDDLE_TEXT_JINJA_PARSER_H
#define HEDDLE_TEXT_JINJA_PARSER_H

#include "runtime/text/jinja/Lexer.h"
#include "runtime/text/jinja/Tree.h"

#include <set>

namespace heddle::text::jinja {

/// A template comes from anywhere: nesting takes some of the stack, here and
/// where the tree is evaluated.
constexpr int kMostLevels = 100;
constexpr int kMostParts = 2000; ///< of a tag

class TokenReader {
public:
  TokenReader(std::vector<Token> tokens, const std::string &where)
      : tokens(std::move(tokens)), where(where) {}

protected:
  const Token &token() const { return tokens[at]; }
  const Token &nextToken() const {
    return tokens[at + (at + 1 < tokens.size())];
  }
  [[noreturn]] void fail(const std::string &message) const;

  bool is(Token::Kind kind, std::string_view text) const {
    return token().kind == kind && token().text == text;
  }
  bool isOperator(std::string_view text) const {
    return is(Token::Operator, text);
  }
  bool isWord(std::string_view word) const { return is(Token::Name, word); }
  bool take(std::string_view text);
  bool takeWord(std::string_view word);
  void expect(std::string_view text);
  void expectWord(std::string_view word);
  void expectEnd();
  /// The same, of a tag whose body follows.
  void expectBodyAhead();
  std::string expectName();

  struct Level {
    explicit Level(TokenReader &reader);
    ~Level() { --reader.depth; }
    TokenReader &reader;
  };

  std::vector<Token> tokens;
  const std::string &where;
  size_t at = 0;
  int depth = 0;
};

class ExpressionParser : public TokenReader {
protected:
  using TokenReader::TokenReader;

  ExpressionPtr parseExpression();
  ExpressionPtr parseOr();
  /// One expression, or several with commas, which are a tuple. `takesChoice`
  /// lets them have "if".
  ExpressionPtr parseTuple(bool takesChoice, std::string_view endWord = "",
                           bool mayBeEmpty = false);
  /// Filters, each behind its "|"; the first has no "|" where it `isInline`.
  ExpressionPtr parseFilter(ExpressionPtr value, bool isInline);

  void startTag() { parts = 0; }
  /// Names that were read since they were last taken.
  std::set<std::string> takeNames() { return std::exchange(names, {}); }
  void addNames(std::set<std::string> more) {
    if (more.size() > names.size())
      names.swap(more);
    names.merge(more);
  }

private:
  ExpressionPtr make(Expression::Kind kind, std::string text = "");
  ExpressionPtr around(Expression::Kind kind, ExpressionPtr inner,
                       std::string text = "");
  ExpressionPtr binary(Expression::Kind kind, std::string text,
                       ExpressionPtr left, ExpressionPtr right);
  ExpressionPtr parseAnd();
  ExpressionPtr parseNot();
  ExpressionPtr parseComparison();
  ExpressionPtr parseSum();
  ExpressionPtr parseConcatenation();
  ExpressionPtr parseProduct();
  ExpressionPtr parsePower();
  ExpressionPtr parseUnary(bool takesFilters);
  ExpressionPtr parsePostfix(ExpressionPtr value);
  ExpressionPtr parseFilters(ExpressionPtr value);
  ExpressionPtr parseTest(ExpressionPtr value);
  void parseArguments(Expression &call);
  ExpressionPtr parseSubscript(ExpressionPtr object);
  ExpressionPtr parsePrimary();
  ExpressionPtr parseNumber();
  ExpressionPtr parseElements(Expression::Kind kind, std::string_view end);
  std::string parseDottedName();

  int parts = 0; ///< of the current tag
  std::set<std::string> names;
};

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_PARSER_H
