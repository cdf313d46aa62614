// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Arguments.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

Parameters::Parameters(const std::string &who, const Arguments &arguments,
                       std::initializer_list<const char *> names,
                       size_t required)
    : who(who), names(names), bound(names.size()) {
  if (arguments.values.size() > names.size())
    throw Refusal{"'" + who + "' takes at most " +
                  std::to_string(names.size()) + " arguments, found " +
                  std::to_string(arguments.values.size())};
  for (size_t i = 0; i < arguments.values.size(); ++i)
    bound[i] = &arguments.values[i];
  for (const auto &[name, value] : arguments.named) {
    size_t i = 0;
    while (i < bound.size() && name != this->names[i])
      ++i;
    if (i == bound.size() || bound[i]) {
      std::string message = "'" + who;
      message += i == bound.size() ? "' has no argument '" : "' has twice '";
      throw Refusal{message + name + "'"};
    }
    bound[i] = &value;
  }
  for (size_t i = 0; i < required; ++i)
    if (!bound[i])
      throw Refusal{"'" + who + "' lacks its argument '" + this->names[i] +
                    "'"};
}

void Parameters::refuse(size_t index, const char *expected) const {
  throw Refusal{"'" + who + "' takes " + expected + " as '" + names[index] +
                "', found " + describe(at(index))};
}

const std::string &Parameters::text(size_t index) const {
  if (!at(index).isText())
    refuse(index, "a text");
  return at(index).text();
}

std::string Parameters::text(size_t index, const char *fallback) const {
  return bound[index] ? text(index) : fallback;
}

int64_t Parameters::integer(size_t index) const {
  if (!at(index).isWhole())
    refuse(index, "an integer");
  return at(index).integer();
}

int64_t Parameters::integer(size_t index, int64_t fallback) const {
  return bound[index] ? integer(index) : fallback;
}

bool Parameters::flag(size_t index, bool fallback) const {
  return bound[index] ? bound[index]->isTrue() : fallback;
}

std::optional<int64_t> Parameters::optionalInteger(size_t index) const {
  if (!bound[index] || bound[index]->isNone())
    return std::nullopt;
  return integer(index);
}

void jinja::addWorkOfTexts(Context &context, const Value &operand,
                           const Arguments &arguments) {
  auto add = [&](const Value &value) {
    context.addWork(value.isText() ? value.text().size() : 0);
  };
  add(operand);
  for (const Value &value : arguments.values)
    add(value);
  for (const auto &[name, value] : arguments.named)
    add(value);
}

int64_t jinja::integerOf(const Value &value, const std::string &who) {
  if (!value.isWhole())
    throw Refusal{who + " takes an integer, found " + describe(value)};
  return value.integer();
}

const std::string &jinja::textOf(const Value &value, const std::string &who) {
  if (!value.isText())
    throw Refusal{who + " takes a text, found " + describe(value)};
  return value.text();
}
