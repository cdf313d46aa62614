// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values as text.

#ifndef HEDDLE_TEXT_JINJA_PRINTING_H
#define HEDDLE_TEXT_JINJA_PRINTING_H

#include "runtime/text/jinja/Arguments.h"

namespace heddle::text::jinja {

/// As Python's str(); nothing of what is undefined.
std::string textOfAny(Context &context, const Value &value);
/// As repr(). `sortsKeys` puts the keys of objects into order.
void addRepresentation(Context &context, TextBuilder &text, const Value &value,
                       bool sortsKeys = false);

/// As the filter tojson of transformers, which is json.dumps() that leaves
/// characters as they are.
Value toJson(Context &context, const Value &value, const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_PRINTING_H
