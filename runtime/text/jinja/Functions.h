// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions, filters and tests of templates. Each refuses what it does not
// know, by its name.

#ifndef HEDDLE_TEXT_JINJA_FUNCTIONS_H
#define HEDDLE_TEXT_JINJA_FUNCTIONS_H

#include "runtime/text/jinja/Arguments.h"

namespace heddle::text::jinja {

/// The function that every template has by that name; undefined for none.
Value globalFunction(Context &context, const std::string &name);
/// The method `name` of `object`, to be called later.
Value boundMethod(Context &context, const Value &object,
                  const std::string &name);

/// Of `{% set namespace.name = ... %}`. Refuses other objects.
void setAttribute(Context &context, const Value &object,
                  const std::string &name, Value value);

Value applyFilter(Context &context, const std::string &name,
                  const Value &operand, const Arguments &arguments);
bool applyTest(Context &context, const std::string &name, const Value &operand,
               const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_FUNCTIONS_H
