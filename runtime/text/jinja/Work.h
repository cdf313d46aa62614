// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What operations of templates cost, in bytes that they look at, so that a
// template cannot take long: a loop could count the characters of a large text
// a million times. What they make is counted apart (Value::takeBytes).

#ifndef HEDDLE_TEXT_JINJA_WORK_H
#define HEDDLE_TEXT_JINJA_WORK_H

#include "runtime/text/jinja/Functions.h"

namespace heddle::text::jinja {

/// Of going through all elements of a list, or all characters of a string.
size_t workOfElements(const Value &value);
/// Of a subscript, which finds a character from the start.
size_t workOfSubscript(const Value &object);
/// Of a slice, which lists where all characters begin.
size_t workOfSlice(const Value &object);
size_t workOfBinary(const std::string &name, const Value &left,
                    const Value &right);
size_t workOfFilter(const std::string &name, const Value &operand,
                    const Arguments &arguments);
size_t workOfTest(const Value &operand, const Arguments &arguments);
size_t workOfMethod(const Value &object, const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_WORK_H
