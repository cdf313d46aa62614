// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one rendering shares: its limits, its clock, and the objects that it
// made. Templates come with models, from anywhere, so that all limits are
// counts: a template fails on all machines or on none.

#ifndef HEDDLE_TEXT_JINJA_CONTEXT_H
#define HEDDLE_TEXT_JINJA_CONTEXT_H

#include "runtime/text/jinja/Value.h"

#include <ctime>
#include <string>
#include <string_view>

namespace heddle::text::jinja {

constexpr size_t kMostBytes = 16 << 20;   ///< of a text
constexpr size_t kMostElements = 100'000; ///< of a list or an object
constexpr int kMostNested = 64;           ///< lists in lists
constexpr int kMostDepth = 1200;          ///< of evaluation, macros included
constexpr size_t kMostSteps = 1'000'000;  ///< statements and expressions
constexpr size_t kMostWork = size_t(256) << 20; ///< bytes looked at or made

class Context {
public:
  explicit Context(std::time_t now) : now(now) {}
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Counts one statement or expression.
  void step();
  /// Counts bytes that are looked at or made: they limit time and memory.
  void addWork(size_t bytes);

  /// An object that lives until the rendering ends. Objects may refer to each
  /// other in circles, which end with the rendering.
  template <typename T, typename... Arguments>
  std::shared_ptr<T> make(Arguments &&...arguments) {
    addWork(sizeof(T) + 256);
    auto object = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    objects.push_back(object);
    return object;
  }

  const std::time_t now;
  int line = 1;  ///< of what is evaluated
  int depth = 0; ///< of evaluation

private:
  std::vector<std::shared_ptr<Object>> objects;
  size_t steps = 0;
  size_t work = 0;
};

/// A text that grows, within the limits.
class TextBuilder {
public:
  explicit TextBuilder(Context &context) : context(context) {}
  void add(std::string_view part);
  void add(size_t count, std::string_view part);
  const std::string &text() const { return result; }
  std::string take() { return std::move(result); }
  Value takeValue() { return Value(take()); }

private:
  Context &context;
  std::string result;
};

/// A list that grows, within the limits.
class ListBuilder {
public:
  explicit ListBuilder(Context &context) : context(context) {}
  void add(Value value);
  std::vector<Value> take() { return std::move(elements); }
  Value takeList() { return Value::list(take()); }

private:
  Context &context;
  std::vector<Value> elements;
};

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_CONTEXT_H
