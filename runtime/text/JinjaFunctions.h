// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of templates, and the operators, filters, tests, functions and methods
// that they may be given to.

#ifndef HEDDLE_TEXT_JINJAFUNCTIONS_H
#define HEDDLE_TEXT_JINJAFUNCTIONS_H

#include "runtime/text/Json.h"

#include <map>
#include <memory>
#include <optional>

namespace heddle::text::jinja {

/// Thrown where a value cannot be used so; the evaluator adds the line.
struct Refusal {
  std::string message;
};

/// Undefined, JSON, or a namespace, which is shared by all that name it.
class Value {
public:
  Value() = default;
  explicit Value(Json json) : json(std::move(json)), defined(true) {}
  static Value makeNamespace();

  bool isDefined() const { return defined || attributes; }
  bool isNamespace() const { return attributes != nullptr; }
  bool isTrue() const;
  /// Null of what is no JSON.
  const Json &data() const { return json; }

  /// As Python's str() prints it; nothing of what is undefined.
  std::string toText() const;
  /// Of lists, the keys of objects, characters of strings.
  std::vector<Value> elements() const;

  Value attribute(const std::string &name) const;
  void setAttribute(const std::string &name, Value value);
  Value element(const Value &index) const;
  Value slice(std::optional<int64_t> first, std::optional<int64_t> last,
              std::optional<int64_t> step) const;

private:
  Json json;
  bool defined = false;
  std::shared_ptr<std::map<std::string, Value>> attributes;
};

struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;
};

Value applyUnary(const std::string &name, const Value &operand);
Value applyBinary(const std::string &name, const Value &left,
                  const Value &right);
Value applyFilter(const std::string &name, const Value &operand,
                  const Arguments &arguments);
bool applyTest(const std::string &name, const Value &operand,
               const Arguments &arguments);
Value callFunction(const std::string &name, const Arguments &arguments);
Value callMethod(const std::string &name, const Value &object,
                 const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJAFUNCTIONS_H
