// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What variables and expressions of templates are.

#ifndef HEDDLE_TEXT_JINJA_VALUE_H
#define HEDDLE_TEXT_JINJA_VALUE_H

#include "runtime/text/Json.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::text::jinja {

/// Thrown where a value cannot be used so; the evaluator adds the line.
struct Refusal {
  std::string message;
};

/// Templates come with models, from anywhere, and their loops could double a
/// value in each step. So one has at most these.
constexpr size_t kMostBytes = 16 << 20;
constexpr size_t kMostElements = 100'000;
constexpr int kMostNested = 64;

/// Undefined, JSON, or a namespace. Copies share what they are.
class Value {
public:
  Value() = default;
  /// Refuses JSON that is larger or nested deeper than the limits.
  explicit Value(Json json);
  static Value makeNamespace();
  /// The name of a function: it is there, is nothing else, and has no text.
  static Value makeFunction() { return makeNamespace(); }

  bool isDefined() const { return json || attributes; }
  bool isNamespace() const { return attributes != nullptr; }
  bool isTrue() const;
  /// Undefined equals nothing else, none included.
  bool operator==(const Value &other) const;
  /// Null of what is no JSON.
  const Json &data() const;
  /// About how much memory this value took when it was made, if nobody has
  /// asked before; 0 of a part of another one.
  size_t takeBytes() { return std::exchange(madeBytes, 0); }

  /// As Python's str() prints it; nothing of what is undefined.
  std::string toText() const;
  /// Of lists, the keys of objects, characters of strings.
  std::vector<Value> elements() const;
  /// How many those are.
  size_t size() const;

  Value attribute(const std::string &name) const;
  /// Of a namespace.
  void setAttribute(const std::string &name, Value value);
  Value element(const Value &index) const;
  Value slice(std::optional<int64_t> first, std::optional<int64_t> last,
              std::optional<int64_t> step) const;

private:
  /// A part of what `whole` shares.
  static Value part(const Value &whole, const Json &json);

  std::shared_ptr<const Json> json;
  size_t madeBytes = 0;
  std::shared_ptr<std::map<std::string, Value>> attributes;
};

/// About how much memory `json` takes. Refuses what is nested too deeply.
size_t bytesOf(const Json &json, int depth = 0);

/// Where the characters of a text begin, and its end.
std::vector<size_t> charactersOf(std::string_view text);

/// A list that grows, within the limits.
class ListBuilder {
public:
  /// Refuses what has no place in a list: a namespace, and undefined values,
  /// which would turn into none.
  void add(const Value &value);
  Value take() { return Value(std::move(list)); }

private:
  Json list = Json::array();
  size_t bytes = 0;
};

/// Refuses an object of several fields: they are in no order here, and in
/// Python's they are.
void expectOneOrder(const Json &object);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_VALUE_H
