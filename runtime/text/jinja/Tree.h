// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates as trees: what the parser makes and the renderer evaluates.

#ifndef HEDDLE_TEXT_JINJA_TREE_H
#define HEDDLE_TEXT_JINJA_TREE_H

#include "runtime/text/jinja/Value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// An expression. What `parts` are depends on the kind. Arguments have a name
/// each in `names`: empty for a value alone, "*" and "**" for many.
struct Expression {
  enum Kind {
    Literal,    ///< value
    Name,       ///< text
    List,       ///< elements
    Tuple,      ///< elements
    Dictionary, ///< key, value, key, value, ...
    Attribute,  ///< object; text is the name
    Subscript,  ///< object, index
    Slice,      ///< object, first or null, last or null, step or null
    Call,       ///< callee, then arguments
    Filter, ///< operand or null for a block's text, then arguments; text is the
            ///< name
    Test,   ///< operand, then arguments; text is the name
    Not,    ///< operand
    Unary,  ///< operand; text is "-" or "+"
    Binary, ///< left, right; text is the operator
    And,    ///< left, right
    Or,     ///< left, right
    Compare, ///< operands; names are the operators between them
    Join,    ///< operands of "~"
    Choice   ///< value, condition, otherwise or null
  };

  Kind kind;
  int line;
  std::string text;
  Value value;
  std::vector<ExpressionPtr> parts;
  std::vector<std::string> names;
};

struct Node;
using Nodes = std::vector<std::unique_ptr<Node>>;

/// The left side of an assignment: a name, an attribute of a namespace, or
/// several.
struct Target {
  std::string name, attribute;
  std::vector<Target> elements;
  bool isTuple = false;
};

/// The parameters of a macro or of a call block. Parameters without a default
/// come first.
struct Signature {
  std::vector<std::string> names;
  std::vector<ExpressionPtr> defaults; ///< of the last names
  // Whether the body uses these names, which a macro has for what its call has
  // in addition.
  bool usesCaller = false, usesVarargs = false, usesKwargs = false;
};

struct Node {
  enum Kind {
    Text,        ///< text
    Output,      ///< expression
    If,          ///< branches: conditions (null for else) and bodies
    For,         ///< targets[0], expression, condition or null, body, otherwise
    Set,         ///< targets[0]; expression; or body, and filter or null
    Macro,       ///< text is the name; signature, body
    CallBlock,   ///< expression, a Call; signature, body
    FilterBlock, ///< filter, body
    With,        ///< targets, values, body
    Scope,       ///< body, whose names end with it
    Break,
    Continue
  };
  struct Branch {
    ExpressionPtr condition;
    Nodes body;
  };

  Kind kind;
  int line;
  std::string text;
  std::vector<Target> targets;
  std::vector<ExpressionPtr> values;
  ExpressionPtr expression, condition, filter;
  std::vector<Branch> branches;
  Signature signature;
  bool isRecursive = false;
  Nodes body, otherwise;
};

/// Reads a template; `where` starts each message.
Nodes parse(std::string_view source, const std::string &where);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_TREE_H
