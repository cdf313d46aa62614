// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Jinja.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Renderer.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

/// Line ends are newlines, as Jinja makes them.
static std::string withNewlines(std::string_view source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i)
    if (source[i] != '\r')
      text += source[i];
    else if (i + 1 == source.size() || source[i + 1] != '\n')
      text += '\n';
  return text;
}

static Value valueOf(Context &context, const OrderedJson &json, int depth = 0) {
  if (depth > kMostNested)
    throw Refusal{"a value is nested more than " + std::to_string(kMostNested) +
                  " levels deep"};
  if (json.is_string())
    return Value(json.get_ref<const std::string &>());
  if (json.is_boolean())
    return Value(json.get<bool>());
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
    throw Refusal{"a number leaves 64 bits"};
  if (json.is_number_integer())
    return Value(json.get<int64_t>());
  if (json.is_number())
    return Value(json.get<double>());
  if (json.is_array()) {
    std::vector<Value> elements;
    for (const OrderedJson &element : json)
      elements.push_back(valueOf(context, element, depth + 1));
    return Value::list(std::move(elements));
  }
  if (!json.is_object())
    return Value::none();
  Dictionary dictionary;
  for (const auto &[key, element] : json.items())
    dictionary.set(context, Value(key), valueOf(context, element, depth + 1));
  return Value(std::move(dictionary));
}

Jinja::Jinja(std::string_view source, std::string givenWhere)
    : where(std::move(givenWhere)) {
  if (auto position = firstInvalid(source))
    throw Failure(where + ": expected UTF-8, found another byte at offset " +
                  std::to_string(*position));
  nodes = parse(withNewlines(source), where);
}

std::string Jinja::render(const OrderedJson &variables, std::time_t now) const {
  Context context(now);
  try {
    Dictionary values;
    for (const auto &[name, value] : variables.items())
      values.set(context, Value(name), valueOf(context, value));
    Renderer renderer(context, values);
    renderer.render(nodes);
    return renderer.take();
  } catch (const Refusal &refusal) {
    throw Failure(where + ": line " + std::to_string(context.line) + ": " +
                  refusal.message);
  }
}
