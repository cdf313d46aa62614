// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operators, filters, tests, functions and methods of templates. Each
// refuses what it does not know.

#ifndef HEDDLE_TEXT_JINJA_FUNCTIONS_H
#define HEDDLE_TEXT_JINJA_FUNCTIONS_H

#include "runtime/text/jinja/Value.h"

namespace heddle::text::jinja {

struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;
};

/// Refuses others than `least` to `most` arguments without names.
void expectArguments(const std::string &name, const Arguments &arguments,
                     size_t least, size_t most);
/// The string that `value` is; `who` takes one.
const std::string &stringOf(const Value &value, const std::string &who);

/// Where `part` first is in `text` from `begin` on; npos for nowhere. Its time
/// is linear, which that of std::string::find is not.
size_t findPart(std::string_view text, std::string_view part, size_t begin = 0);

Value applyUnary(const std::string &name, const Value &operand);
Value applyBinary(const std::string &name, const Value &left,
                  const Value &right);
Value applyFilter(const std::string &name, const Value &operand,
                  const Arguments &arguments);
bool applyTest(const std::string &name, const Value &operand,
               const Arguments &arguments);
/// Whether callFunction knows it. Refuses those that Jinja2 has, too.
bool isFunction(const std::string &name);
Value callFunction(const std::string &name, const Arguments &arguments);
Value callMethod(const std::string &name, const Value &object,
                 const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_FUNCTIONS_H
