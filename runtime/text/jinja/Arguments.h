// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arguments of calls, and how Python binds them to parameters.

#ifndef HEDDLE_TEXT_JINJA_ARGUMENTS_H
#define HEDDLE_TEXT_JINJA_ARGUMENTS_H

#include "runtime/text/jinja/Context.h"

#include <initializer_list>
#include <optional>

namespace heddle::text::jinja {

struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;
};

/// The arguments of a function, each at the place of its parameter. Refuses
/// others than there are parameters, and a value of another type.
class Parameters {
public:
  /// The first `required` parameters have no default. `who` is named in
  /// messages.
  Parameters(const std::string &who, const Arguments &arguments,
             std::initializer_list<const char *> names, size_t required = 0);

  /// Null where the default is taken.
  const Value *find(size_t index) const { return bound[index]; }
  const Value &at(size_t index) const { return *bound[index]; }

  // Of a parameter of that type, with its default.
  const std::string &text(size_t index) const;
  std::string text(size_t index, const char *fallback) const;
  int64_t integer(size_t index) const;
  int64_t integer(size_t index, int64_t fallback) const;
  bool flag(size_t index, bool fallback = false) const;
  /// Nothing for none, too.
  std::optional<int64_t> optionalInteger(size_t index) const;

private:
  [[noreturn]] void refuse(size_t index, const char *expected) const;

  const std::string &who;
  std::vector<const char *> names;
  std::vector<const Value *> bound;
};

/// Counts the texts among the operand of a call and its arguments.
void addWorkOfTexts(Context &context, const Value &operand,
                    const Arguments &arguments);

/// The integer that `value` is, a boolean included; `who` takes one.
int64_t integerOf(const Value &value, const std::string &who);
/// The text that `value` is; `who` takes one.
const std::string &textOf(const Value &value, const std::string &who);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_ARGUMENTS_H
