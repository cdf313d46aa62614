// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates as trees: what Parser makes and Jinja evaluates.

#ifndef HEDDLE_TEXT_JINJA_TREE_H
#define HEDDLE_TEXT_JINJA_TREE_H

#include "runtime/text/Json.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// An expression. What `parts` are depends on the kind.
struct Expression {
  enum Kind {
    Literal,    ///< value
    Name,       ///< text
    List,       ///< elements
    Dictionary, ///< key, value, key, value, ...
    Attribute,  ///< object; text is the name
    Subscript,  ///< object, index
    Slice,      ///< object, first or null, last or null, step or null
    Call,       ///< callee, then arguments; `names` of keyword arguments
    Filter,     ///< operand, then arguments; text is the name
    Test,       ///< operand, then arguments; text is the name
    Unary,      ///< operand; text is "-", "+" or "not"
    Binary,     ///< left, right; text is the operator
    Choice      ///< value, condition, otherwise or null
  };

  Kind kind;
  int line;
  std::string text;
  Json value;
  std::vector<ExpressionPtr> parts;
  std::vector<std::string> names; ///< empty for what has none
};

struct Node;
using Nodes = std::vector<std::unique_ptr<Node>>;

struct Node {
  enum Kind {
    Text,   ///< text
    Output, ///< expression
    If,     ///< branches: conditions (null for else) and bodies
    For,    ///< targets, expression, condition or null, body, otherwise
    Set     ///< targets; expression, or body
  };
  struct Branch {
    ExpressionPtr condition;
    Nodes body;
  };

  Kind kind;
  int line;
  std::string text;
  std::vector<std::string> targets; ///< "name", or "namespace.name"
  ExpressionPtr expression, condition;
  std::vector<Branch> branches;
  Nodes body, otherwise;
};

/// Reads a template; `where` starts each message.
Nodes parse(std::string_view source, const std::string &where);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_TREE_H
