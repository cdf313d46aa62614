// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Macro.h"

#include "runtime/text/jinja/Strings.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

std::string Macro::name() const {
  return node.text.empty() ? "a call block" : "the macro '" + node.text + "'";
}

std::string Macro::toText(Context &) {
  return "<Macro " +
         (node.text.empty() ? "anonymous" : jinja::quoted(node.text)) + ">";
}

Value Macro::attribute(Context &, const std::string &name) {
  const Signature &signature = node.signature;
  if (name == "name")
    return node.text.empty() ? Value::none() : Value(node.text);
  if (name == "arguments") {
    std::vector<Value> names;
    for (const std::string &one : signature.names)
      names.emplace_back(one);
    return Value::tuple(std::move(names));
  }
  if (name == "catch_kwargs")
    return Value(signature.usesKwargs);
  if (name == "catch_varargs")
    return Value(signature.usesVarargs);
  return name == "caller" ? Value(signature.usesCaller) : Value();
}

/// The names of one call: parameters, and what it has in addition.
ScopePtr Macro::bind(Context &context, const Arguments &arguments) const {
  const Signature &signature = node.signature;
  const std::vector<std::string> &names = signature.names;
  auto scope = std::make_shared<Scope>(Scope{{}, outer});
  size_t given = std::min(names.size(), arguments.values.size());
  for (size_t i = 0; i < given; ++i)
    scope->names[names[i]] = arguments.values[i];
  Dictionary others;
  for (const auto &[name, value] : arguments.named) {
    bool isParameter = false;
    for (size_t i = given; i < names.size(); ++i)
      isParameter |= names[i] == name;
    if (isParameter || (name == "caller" && signature.usesCaller))
      scope->names[name] = value;
    else if (signature.usesKwargs)
      others.set(context, Value(name), value);
    else
      throw Refusal{this->name() + " takes no argument '" + name + "'"};
  }
  std::vector<Value> rest(arguments.values.begin() + long(given),
                          arguments.values.end());
  if (signature.usesVarargs)
    scope->names["varargs"] = Value::tuple(std::move(rest));
  else if (!rest.empty())
    throw Refusal{this->name() + " takes at most " +
                  std::to_string(names.size()) + " arguments, found " +
                  std::to_string(arguments.values.size())};
  if (signature.usesKwargs)
    scope->names["kwargs"] = Value(std::move(others));
  if (signature.usesCaller)
    scope->names.try_emplace("caller");
  return scope;
}

Value Macro::call(Context &context, const Arguments &arguments) {
  int line = context.line;
  ScopePtr scope = bind(context, arguments);
  const Signature &signature = node.signature;
  size_t first = signature.names.size() - signature.defaults.size();
  std::string text = renderer.textOf(scope, [&] {
    // A default may use the parameters before it.
    for (size_t i = 0; i < signature.names.size(); ++i) {
      if (scope->names.count(signature.names[i]))
        continue;
      Value value;
      if (i >= first)
        value = renderer.evaluate(*signature.defaults[i - first]);
      scope->names[signature.names[i]] = value;
    }
    renderer.render(node.body);
  });
  context.line = line;
  return Value(std::move(text));
}
