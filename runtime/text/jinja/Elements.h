// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elements and attributes of values.

#ifndef HEDDLE_TEXT_JINJA_ELEMENTS_H
#define HEDDLE_TEXT_JINJA_ELEMENTS_H

#include "runtime/text/jinja/Arguments.h"

#include <optional>

namespace heddle::text::jinja {

/// Goes through the elements of a value, as Python's iter() does: of lists, the
/// keys of objects, characters, what an iterator has left, nothing of what is
/// undefined. Refuses other values.
class Cursor {
public:
  Cursor(Context &context, Value value);
  bool next(Value &element);

private:
  Context &context;
  Value value;
  size_t index = 0; ///< of an element, or a byte of a text
};

std::vector<Value> elementsOf(Context &context, const Value &value);
/// As len(); refuses what has none.
int64_t sizeOf(Context &context, const Value &value);
/// Whether Cursor takes it.
bool isIterable(const Value &value);

/// `object.name` of Jinja: a method or an attribute, else an element.
Value attributeOf(Context &context, const Value &object,
                  const std::string &name);
/// `object[index]` of Jinja: an element, else a method or an attribute.
Value elementOf(Context &context, const Value &object, const Value &index);
/// The attribute alone, as the filter attr gives it.
Value ownAttribute(Context &context, const Value &object,
                   const std::string &name);
Value sliceOf(Context &context, const Value &object,
              std::optional<int64_t> first, std::optional<int64_t> last,
              std::optional<int64_t> step);

/// The elements of a slice among `count`, as Python clamps them.
struct SliceBounds {
  int64_t begin, end, step;
  SliceBounds(int64_t count, std::optional<int64_t> first,
              std::optional<int64_t> last, std::optional<int64_t> step);
  template <typename Visit> void visit(Visit take) const {
    for (int64_t i = begin; step < 0 ? i > end : i < end; i += step)
      take(size_t(i));
  }
};

/// "a.b.0" as filters take attributes of elements; `fallback` stands for what
/// is undefined on the way, if it is not null.
Value attributeByPath(Context &context, const Value &object, const Value &path,
                      const Value *fallback = nullptr);

/// Whether Python has a method of that name, which `value` keeps to itself.
bool hasMethod(const Value &value, const std::string &name);
Value callMethod(Context &context, const std::string &name, const Value &object,
                 const Arguments &arguments);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_ELEMENTS_H
