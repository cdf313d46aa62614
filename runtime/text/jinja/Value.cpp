// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Value.h"

#include "runtime/text/Utf8.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- limits ------------------------------------------------------------===//

size_t jinja::bytesOf(const Json &json, int depth) {
  if (depth > kMostNested)
    throw Refusal{"a value is nested more than " + std::to_string(kMostNested) +
                  " levels deep"};
  size_t bytes = sizeof(Json);
  if (json.is_string())
    bytes += sizeof(std::string) + json.get_ref<const std::string &>().size();
  else if (json.is_structured())
    for (const auto &[key, element] : json.items())
      bytes += (json.is_object() ? 64 + key.size() : 0) +
               bytesOf(element, depth + 1);
  return bytes;
}

static void checkSize(size_t bytes, size_t elements) {
  if (elements > kMostElements)
    throw Refusal{"a list has more than " + std::to_string(kMostElements) +
                  " elements"};
  if (bytes > kMostBytes)
    throw Refusal{"a value has more than 16 MiB"};
}

void ListBuilder::add(const Value &value) {
  if (value.isNamespace() || !value.isDefined())
    throw Refusal{value.isNamespace()
                      ? "a namespace or a function in a list is not supported"
                      : "an undefined value in a list is not supported"};
  bytes += bytesOf(value.data());
  checkSize(bytes, list.size() + 1);
  list.push_back(value.data());
}

void jinja::expectOneOrder(const Json &object) {
  if (object.size() > 1)
    throw Refusal{"the order of an object's fields is not known; expected one "
                  "field, found " +
                  describe(object)};
}

//===-- values ------------------------------------------------------------===//

Value::Value(Json given)
    : json(std::make_shared<const Json>(std::move(given))),
      madeBytes(bytesOf(*json)) {
  checkSize(madeBytes, json->is_array() ? json->size() : 0);
}

Value Value::makeNamespace() {
  Value value;
  value.attributes = std::make_shared<std::map<std::string, Value>>();
  return value;
}

Value Value::part(const Value &whole, const Json &json) {
  Value value;
  value.json = std::shared_ptr<const Json>(whole.json, &json);
  return value;
}

const Json &Value::data() const {
  static const Json none;
  return json ? *json : none;
}

// As Python compares: booleans are the numbers 1 and 0.
static bool areEqual(const Json &a, const Json &b) {
  if (a.is_number() && b.is_boolean())
    return a.get<double>() == double(b.get<bool>());
  if (a.is_boolean() && b.is_number())
    return areEqual(b, a);
  if (a.is_array() && b.is_array())
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), areEqual);
  if (!a.is_object() || !b.is_object())
    return a == b;
  for (const auto &[key, element] : a.items())
    if (auto other = b.find(key);
        other == b.end() || !areEqual(element, *other))
      return false;
  return a.size() == b.size();
}

bool Value::operator==(const Value &other) const {
  return isDefined() == other.isDefined() && attributes == other.attributes &&
         areEqual(data(), other.data());
}

bool Value::isTrue() const {
  if (attributes)
    return true;
  const Json &value = data();
  if (value.is_boolean())
    return value.get<bool>();
  if (value.is_number())
    return value.get<double>() != 0;
  if (value.is_string())
    return !value.get_ref<const std::string &>().empty();
  return !value.is_null() && !value.empty();
}

std::string Value::toText() const {
  if (attributes)
    throw Refusal{"a namespace or a function has no text"};
  if (!json)
    return "";
  if (json->is_string())
    return json->get<std::string>();
  if (json->is_boolean())
    return json->get<bool>() ? "True" : "False";
  if (json->is_null())
    return "None";
  if (json->is_number())
    return json->dump();
  throw Refusal{
      "a list or an object has no text here; expected tojson, found " +
      describe(*json)};
}

//===-- parts of values ---------------------------------------------------===//

// The text is UTF-8: all bytes begin a character but those that are 10xxxxxx.
static bool beginsCharacter(char byte) { return (byte & 0xc0) != 0x80; }

static size_t countCharacters(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), beginsCharacter));
}

std::vector<size_t> jinja::charactersOf(std::string_view text) {
  std::vector<size_t> begins;
  for (size_t position = 0; position < text.size();) {
    begins.push_back(position);
    nextCharacter(text, position);
  }
  begins.push_back(text.size());
  return begins;
}

size_t Value::size() const {
  const Json &value = data();
  if (value.is_string())
    return countCharacters(value.get_ref<const std::string &>());
  if (!value.is_structured() && isDefined())
    throw Refusal{"expected something that has elements, found " +
                  describe(value)};
  return value.size();
}

std::vector<Value> Value::elements() const {
  const Json &value = data();
  size_t count = size();
  checkSize(0, count);
  std::vector<Value> result;
  result.reserve(count);
  if (value.is_array()) {
    for (const Json &element : value)
      result.push_back(part(*this, element));
  } else if (value.is_object()) {
    expectOneOrder(value);
    for (const auto &[key, element] : value.items())
      result.emplace_back(Json(key));
  } else if (value.is_string()) {
    const std::string &text = value.get_ref<const std::string &>();
    std::vector<size_t> begins = charactersOf(text);
    for (size_t i = 0; i < count; ++i)
      result.emplace_back(
          Json(text.substr(begins[i], begins[i + 1] - begins[i])));
  }
  return result;
}

Value Value::attribute(const std::string &name) const {
  if (!isDefined())
    throw Refusal{"an undefined value has no attribute '" + name + "'"};
  if (attributes) {
    auto found = attributes->find(name);
    return found == attributes->end() ? Value() : found->second;
  }
  const Json *field = json->is_object() ? findField(*json, name) : nullptr;
  return field ? part(*this, *field) : Value();
}

void Value::setAttribute(const std::string &name, Value value) {
  // It could be its own, and would never be freed.
  if (value.isNamespace())
    throw Refusal{"a namespace in a namespace is not supported"};
  (*attributes)[name] = std::move(value);
}

/// Position `index` among `size`, from the end where it is negative.
static std::optional<size_t> positionOf(int64_t index, size_t size) {
  index += index < 0 ? int64_t(size) : 0;
  if (index < 0 || index >= int64_t(size))
    return std::nullopt;
  return size_t(index);
}

Value Value::element(const Value &index) const {
  if (index.data().is_string())
    return attribute(index.data().get<std::string>());
  if (!index.data().is_number_integer())
    throw Refusal{"expected a string or an integer as a subscript, found " +
                  describe(index.data())};
  if (!isDefined())
    throw Refusal{"an undefined value has no elements"};
  auto position = positionOf(index.data().get<int64_t>(), size());
  if (!position || json->is_object())
    return Value();
  if (json->is_array())
    return part(*this, (*json)[*position]);
  const std::string &text = json->get_ref<const std::string &>();
  size_t begin = 0, end = 0;
  for (size_t i = 0; i <= *position; ++i) {
    begin = end;
    nextCharacter(text, end);
  }
  return Value(Json(text.substr(begin, end - begin)));
}

Value Value::slice(std::optional<int64_t> first, std::optional<int64_t> last,
                   std::optional<int64_t> givenStep) const {
  const Json &value = data();
  if (!value.is_array() && !value.is_string())
    throw Refusal{"expected a list or a string in front of a slice, found " +
                  describe(value)};
  int64_t count = int64_t(size()), step = givenStep.value_or(1);
  if (step == 0)
    throw Refusal{"the step of a slice is 0"};
  // As Python clamps them.
  auto clamp = [&](int64_t at) {
    at += at < 0 ? count : 0;
    return std::clamp<int64_t>(at, step < 0 ? -1 : 0,
                               step < 0 ? count - 1 : count);
  };
  int64_t begin = first ? clamp(*first) : (step < 0 ? count - 1 : 0);
  int64_t end = last ? clamp(*last) : (step < 0 ? -1 : count);
  // A longer step leaves the list as well, and no number its 64 bits.
  step = std::clamp<int64_t>(step, -count - 1, count + 1);
  auto visit = [&](auto take) {
    for (int64_t i = begin; step < 0 ? i > end : i < end; i += step)
      take(size_t(i));
  };
  if (value.is_array()) {
    Json list = Json::array();
    visit([&](size_t i) { list.push_back(value[i]); });
    return Value(std::move(list));
  }
  const std::string &text = value.get_ref<const std::string &>();
  std::vector<size_t> begins = charactersOf(text);
  std::string result;
  visit([&](size_t i) {
    result.append(text, begins[i], begins[i + 1] - begins[i]);
  });
  return Value(Json(result));
}
