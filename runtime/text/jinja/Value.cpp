// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Value.h"

#include "runtime/text/Json.h"
#include "runtime/text/jinja/Context.h"
#include "runtime/text/jinja/Numbers.h"

#include <algorithm>
#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- construction ------------------------------------------------------===//

static void checkElements(size_t count) {
  if (count > kMostElements)
    throw Refusal{"a list has more than " + std::to_string(kMostElements) +
                  " elements"};
}

static void checkText(const std::string &text) {
  if (text.size() > kMostBytes)
    throw Refusal{"a text has more than 16 MiB"};
}

static int deeper(int depth) {
  if (depth >= kMostNested)
    throw Refusal{"a value is nested more than " + std::to_string(kMostNested) +
                  " levels deep"};
  return depth + 1;
}

static int depthOf(const std::vector<Value> &elements) {
  int depth = 0;
  for (const Value &element : elements)
    depth = std::max(depth, element.depth());
  return deeper(depth);
}

Value::Value(std::string text) {
  checkText(text);
  data = std::make_shared<const Text>(Text{std::move(text), false});
}

Value Value::markup(std::string text) {
  checkText(text);
  Value value;
  value.data = std::make_shared<const Text>(Text{std::move(text), true});
  return value;
}

Value Value::none() {
  Value value;
  value.data = None();
  return value;
}

Value::Value(Sequence sequence) {
  checkElements(sequence.elements.size());
  sequence.depth = depthOf(sequence.elements);
  data = std::make_shared<const Sequence>(std::move(sequence));
}

Value Value::list(std::vector<Value> elements) {
  return Value(Sequence{Sequence::List, std::move(elements)});
}

Value Value::tuple(std::vector<Value> elements) {
  return Value(Sequence{Sequence::Tuple, std::move(elements)});
}

Value::Value(Dictionary dictionary) {
  checkElements(dictionary.entries.size());
  int depth = 0;
  for (const auto &[key, value] : dictionary.entries)
    depth = std::max({depth, key.depth(), value.depth()});
  dictionary.depth = deeper(depth);
  data = std::make_shared<const Dictionary>(std::move(dictionary));
}

Value Value::iterator(std::vector<Value> elements) {
  checkElements(elements.size());
  int depth = depthOf(elements);
  Value value;
  value.data =
      std::make_shared<Iterator>(Iterator{std::move(elements), 0, depth});
  return value;
}

//===-- kinds -------------------------------------------------------------===//

bool Value::isNone() const { return std::holds_alternative<None>(data); }
bool Value::isText() const {
  return std::holds_alternative<std::shared_ptr<const Text>>(data);
}
bool Value::isMarkup() const {
  return isText() && std::get<std::shared_ptr<const Text>>(data)->isMarkup;
}
bool Value::isSequence() const {
  return std::holds_alternative<std::shared_ptr<const Sequence>>(data);
}
bool Value::isDictionary() const {
  return std::holds_alternative<std::shared_ptr<const Dictionary>>(data);
}
bool Value::isIterator() const {
  return std::holds_alternative<std::shared_ptr<Iterator>>(data);
}
bool Value::isObject() const {
  return std::holds_alternative<std::shared_ptr<Object>>(data);
}

bool Value::isTrue() const {
  if (isNumber())
    return number() != 0;
  if (isText())
    return !text().empty();
  if (isSequence())
    return !sequence().elements.empty();
  if (isDictionary())
    return !dictionary().entries.empty();
  return isIterator() || isObject();
}

int64_t Value::integer() const {
  return isBoolean() ? int64_t(std::get<bool>(data)) : std::get<int64_t>(data);
}
double Value::number() const {
  return isFloat() ? std::get<double>(data) : double(integer());
}
const std::string &Value::text() const {
  return std::get<std::shared_ptr<const Text>>(data)->text;
}
const Sequence &Value::sequence() const {
  return *std::get<std::shared_ptr<const Sequence>>(data);
}
const Dictionary &Value::dictionary() const {
  return *std::get<std::shared_ptr<const Dictionary>>(data);
}
Iterator &Value::iterator() const {
  return *std::get<std::shared_ptr<Iterator>>(data);
}
Object &Value::object() const {
  return *std::get<std::shared_ptr<Object>>(data);
}

int Value::depth() const {
  return isSequence()     ? sequence().depth
         : isDictionary() ? dictionary().depth
         : isIterator()   ? iterator().depth
                          : 0;
}

//===-- dictionaries ------------------------------------------------------===//

std::string jinja::hashText(Context &context, const Value &key) {
  if (key.isText()) {
    context.addWork(key.text().size());
    return "s" + key.text();
  }
  if (key.isFloat()) {
    double number = key.number();
    if (std::trunc(number) != number || std::fabs(number) >= 0x1p63)
      return "f" + floatText(number);
    return "i" + std::to_string(int64_t(number));
  }
  if (key.isWhole())
    return "i" + std::to_string(key.integer());
  if (key.isNone())
    return "n";
  if (!key.isDefined())
    return "u";
  if (key.isSequence() && key.sequence().isTuple()) {
    std::string text = "(";
    for (const Value &element : key.sequence().elements) {
      std::string part = hashText(context, element);
      text += std::to_string(part.size()) + ":" + part;
      checkText(text);
      context.addWork(part.size());
    }
    return text;
  }
  if (key.isSequence() && key.sequence().type == Sequence::Range) {
    // Equal ranges have the same numbers.
    const Sequence &range = key.sequence();
    size_t count = range.elements.size();
    return "r" + std::to_string(count) + ":" +
           std::to_string(count > 0 ? range.bounds[0] : 0) + ":" +
           std::to_string(count > 1 ? range.bounds[2] : 0);
  }
  throw Refusal{"expected a key that never changes, found " + describe(key)};
}

Dictionary jinja::copyOf(Context &context, const Dictionary &dictionary) {
  for (const auto &[text, position] : dictionary.positions)
    context.addWork(text.size() + 2 * sizeof(Value));
  return dictionary;
}

void Dictionary::set(Context &context, Value key, Value value) {
  context.addWork(2 * sizeof(Value));
  auto [position, isNew] =
      positions.try_emplace(hashText(context, key), entries.size());
  if (isNew)
    entries.emplace_back(std::move(key), std::move(value));
  else
    entries[position->second].second = std::move(value);
}

const Value *Dictionary::find(Context &context, const Value &key) const {
  auto found = positions.find(hashText(context, key));
  return found == positions.end() ? nullptr : &entries[found->second].second;
}

//===-- objects -----------------------------------------------------------===//

Value Object::attribute(Context &, const std::string &) { return Value(); }

Value Object::call(Context &, const Arguments &) {
  throw Refusal{name() + " cannot be called"};
}

std::string Object::toText(Context &) {
  throw Refusal{name() + " has no text"};
}

std::string jinja::describe(const Value &value) {
  auto counted = [](size_t count, const char *what) {
    return std::string(what) + " of " + std::to_string(count);
  };
  if (!value.isDefined())
    return "an undefined value";
  if (value.isNone())
    return "none";
  if (value.isBoolean())
    return value.isTrue() ? "true" : "false";
  if (value.isInteger())
    return std::to_string(value.integer());
  if (value.isFloat())
    return floatText(value.number());
  if (value.isText())
    return text::describe(Json(value.text()));
  if (value.isSequence())
    return counted(value.sequence().elements.size(),
                   value.sequence().isTuple() ? "a tuple" : "a list");
  if (value.isDictionary())
    return counted(value.dictionary().entries.size(), "an object");
  return value.isIterator() ? "a generator" : value.object().name();
}
