// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operators, and how values compare.

#ifndef HEDDLE_TEXT_JINJA_OPERATORS_H
#define HEDDLE_TEXT_JINJA_OPERATORS_H

#include "runtime/text/jinja/Context.h"

namespace heddle::text::jinja {

/// As Python's ==.
bool areEqual(Context &context, const Value &left, const Value &right);
/// As Python's <, which refuses values of kinds that have no order.
bool isLess(Context &context, const Value &left, const Value &right);
/// The entries in the order of their keys.
std::vector<std::pair<Value, Value>> sortedEntries(Context &context,
                                                   const Dictionary &object);

/// "-" or "+"; "not" is the evaluator's.
Value applyUnary(const std::string &name, const Value &operand);
/// "+", "-", "*", "/", "//", "%", "**".
Value applyBinary(Context &context, const std::string &name, const Value &left,
                  const Value &right);
/// "==", "!=", "<", "<=", ">", ">=", "in", "not in".
bool compare(Context &context, const std::string &name, const Value &left,
             const Value &right);

/// `format % arguments` of Python.
Value formatPercent(Context &context, const Value &format,
                    const Value &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_OPERATORS_H
