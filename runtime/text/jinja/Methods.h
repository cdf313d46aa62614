// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Methods of texts. Elements.h has those of all values.

#ifndef HEDDLE_TEXT_JINJA_METHODS_H
#define HEDDLE_TEXT_JINJA_METHODS_H

#include "runtime/text/jinja/Arguments.h"

#include <set>

namespace heddle::text::jinja {

/// All that Python has, whether they are supported or not.
const std::set<std::string, std::less<>> &textMethodNames(bool ofMarkup);
Value callTextMethod(Context &context, const std::string &name,
                     const Value &object, const Arguments &arguments);

/// `text.format(...)`.
Value formatBraces(Context &context, const std::string &text,
                   const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_METHODS_H
