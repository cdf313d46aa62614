// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What variables and expressions of templates are: Python's values, which
// never change, and objects, which may.

#ifndef HEDDLE_TEXT_JINJA_VALUE_H
#define HEDDLE_TEXT_JINJA_VALUE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle::text::jinja {

class Context;
class Object;
struct Arguments;
struct Dictionary;
struct Iterator;
struct Sequence;

/// Thrown where a value cannot be used so; the renderer adds the line.
struct Refusal {
  std::string message;
};

/// Copies share what they are.
class Value {
public:
  /// Undefined.
  Value() = default;
  explicit Value(bool value) : data(value) {}
  explicit Value(int64_t value) : data(value) {}
  explicit Value(double value) : data(value) {}
  explicit Value(std::string text);
  explicit Value(const char *text) : Value(std::string(text)) {}
  explicit Value(std::shared_ptr<Object> object) : data(std::move(object)) {}
  explicit Value(Dictionary dictionary);
  explicit Value(Sequence sequence);

  static Value none();
  /// Text that is safe to put into HTML: the other operand of an operator is
  /// escaped.
  static Value markup(std::string text);
  static Value list(std::vector<Value> elements);
  static Value tuple(std::vector<Value> elements);
  /// As a generator of Python: its elements come once.
  static Value iterator(std::vector<Value> elements);

  bool isDefined() const { return data.index() != 0; }
  bool isNone() const;
  bool isBoolean() const { return std::holds_alternative<bool>(data); }
  bool isInteger() const { return std::holds_alternative<int64_t>(data); }
  bool isFloat() const { return std::holds_alternative<double>(data); }
  /// Booleans are 1 and 0.
  bool isWhole() const { return isInteger() || isBoolean(); }
  bool isNumber() const { return isWhole() || isFloat(); }
  bool isText() const;
  bool isMarkup() const;
  bool isSequence() const;
  bool isDictionary() const;
  bool isIterator() const;
  bool isObject() const;
  bool isTrue() const;

  // Of values of that kind alone.
  int64_t integer() const; ///< of a boolean, too
  double number() const;   ///< of any number
  const std::string &text() const;
  const Sequence &sequence() const;
  const Dictionary &dictionary() const;
  Iterator &iterator() const;
  Object &object() const;

  /// The object, if it is a T.
  template <typename T> T *as() const {
    return isObject() ? dynamic_cast<T *>(&object()) : nullptr;
  }
  /// How deep lists lie in lists.
  int depth() const;
  /// Whether both are one value in memory.
  bool isSame(const Value &other) const { return data == other.data; }

private:
  struct Text {
    std::string text;
    bool isMarkup;
  };
  struct None {
    bool operator==(None) const { return true; }
  };

  std::variant<std::monostate, None, bool, int64_t, double,
               std::shared_ptr<const Text>, std::shared_ptr<const Sequence>,
               std::shared_ptr<const Dictionary>, std::shared_ptr<Iterator>,
               std::shared_ptr<Object>>
      data;
};

/// Lists and what else of Python has elements in order.
struct Sequence {
  enum Type {
    List,
    Tuple,
    Range, ///< of `bounds`: start, end and step
    Keys,  ///< of an object, as Values and Items are
    Values,
    Items,
    Group ///< of groupby: a tuple whose elements are grouper and list
  };
  bool isTuple() const { return type == Tuple || type == Group; }

  Type type = List;
  std::vector<Value> elements;
  int64_t bounds[3] = {};
  int depth = 1;
};

/// Keys and values in the order in which keys came.
struct Dictionary {
  /// Replaces the value of a key that is there.
  void set(Context &context, Value key, Value value);
  /// Null for none. Refuses what Python cannot hash.
  const Value *find(Context &context, const Value &key) const;

  std::vector<std::pair<Value, Value>> entries;
  std::map<std::string, size_t> positions;
  int depth = 1;
};

struct Iterator {
  std::vector<Value> elements;
  size_t next = 0;
  int depth = 1;
};

/// A text that equal keys share and no others: 1, 1.0 and true are one.
std::string hashText(Context &context, const Value &key);

/// Counts what is copied.
Dictionary copyOf(Context &context, const Dictionary &dictionary);

/// What has an identity: namespaces, functions, macros, loops.
class Object {
public:
  virtual ~Object() = default;
  /// For messages: "a namespace".
  virtual std::string name() const = 0;
  /// Undefined where there is none.
  virtual Value attribute(Context &context, const std::string &name);
  virtual bool isCallable() const { return false; }
  virtual Value call(Context &context, const Arguments &arguments);
  /// As Python's str(); refuses by default.
  virtual std::string toText(Context &context);
  /// Forgets all values, before the objects end.
  virtual void clear() {}
};

/// For messages.
std::string describe(const Value &value);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_VALUE_H
