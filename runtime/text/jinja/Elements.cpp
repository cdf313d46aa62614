// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Elements.h"

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Functions.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- all elements ------------------------------------------------------===//

bool jinja::isIterable(const Value &value) {
  return !value.isDefined() || value.isText() || value.isSequence() ||
         value.isDictionary() || value.isIterator();
}

Cursor::Cursor(Context &context, Value given)
    : context(context), value(std::move(given)) {
  if (!isIterable(value))
    throw Refusal{"expected something that has elements, found " +
                  describe(value)};
}

bool Cursor::next(Value &element) {
  context.addWork(sizeof(Value));
  if (value.isText()) {
    const std::string &text = value.text();
    if (index >= text.size())
      return false;
    size_t begin = index;
    nextCharacter(text, index);
    element = Value(text.substr(begin, index - begin));
    return true;
  }
  if (value.isDictionary()) {
    const auto &entries = value.dictionary().entries;
    if (index >= entries.size())
      return false;
    element = entries[index++].first;
    return true;
  }
  if (!value.isDefined())
    return false;
  size_t &at = value.isIterator() ? value.iterator().next : index;
  const std::vector<Value> &elements = value.isIterator()
                                           ? value.iterator().elements
                                           : value.sequence().elements;
  if (at >= elements.size())
    return false;
  element = elements[at++];
  return true;
}

std::vector<Value> jinja::elementsOf(Context &context, const Value &value) {
  ListBuilder list(context);
  Cursor cursor(context, value);
  for (Value element; cursor.next(element);)
    list.add(element);
  return list.take();
}

int64_t jinja::sizeOf(Context &context, const Value &value) {
  if (!value.isDefined())
    return 0;
  if (value.isText()) {
    context.addWork(value.text().size());
    return int64_t(countCharacters(value.text()));
  }
  if (value.isSequence())
    return int64_t(value.sequence().elements.size());
  if (value.isDictionary())
    return int64_t(value.dictionary().entries.size());
  if (value.isObject()) // loops have one
    if (Value length = value.object().attribute(context, "length");
        length.isInteger())
      return length.integer();
  throw Refusal{"expected something that has a length, found " +
                describe(value)};
}

//===-- one element -------------------------------------------------------===//

Value jinja::ownAttribute(Context &context, const Value &object,
                          const std::string &name) {
  if (object.isObject())
    return object.object().attribute(context, name);
  if (object.isSequence() && object.sequence().type == Sequence::Group &&
      (name == "grouper" || name == "list"))
    return object.sequence().elements[name == "list"];
  return hasMethod(object, name) ? boundMethod(context, object, name) : Value();
}

static void expectDefined(const Value &object, const std::string &what) {
  if (!object.isDefined())
    throw Refusal{"an undefined value has no " + what};
}

/// What Python keeps from templates.
static void expectSafe(const std::string &name) {
  if (name.rfind("__", 0) == 0)
    throw Refusal{"the attribute '" + name + "' is not safe"};
}

Value jinja::attributeOf(Context &context, const Value &object,
                         const std::string &name) {
  expectDefined(object, "attribute '" + name + "'");
  if (Value own = ownAttribute(context, object, name); own.isDefined())
    return own;
  if (object.isDictionary())
    if (const Value *found = object.dictionary().find(context, Value(name)))
      return *found;
  expectSafe(name);
  return Value();
}

/// Position `index` among `size`, from the end where it is negative.
static std::optional<size_t> positionOf(int64_t index, size_t size) {
  index += index < 0 ? int64_t(size) : 0;
  if (index < 0 || index >= int64_t(size))
    return std::nullopt;
  return size_t(index);
}

static Value characterOf(Context &context, const Value &object, int64_t index) {
  const std::string &text = object.text();
  context.addWork(text.size());
  auto position = positionOf(index, countCharacters(text));
  if (!position)
    return Value();
  std::string_view front = firstCharacters(text, *position);
  std::string character(
      firstCharacters(std::string_view(text).substr(front.size()), 1));
  return object.isMarkup() ? Value::markup(character) : Value(character);
}

/// What Python cannot hash is no key, and no error here.
static bool isHashable(Context &context, const Value &value) {
  context.addWork(sizeof(Value));
  if (value.isSequence() && value.sequence().isTuple())
    return std::all_of(
        value.sequence().elements.begin(), value.sequence().elements.end(),
        [&](const Value &element) { return isHashable(context, element); });
  if (value.isSequence() && value.sequence().type == Sequence::Range)
    return true;
  return !value.isSequence() && !value.isDictionary() && !value.isIterator() &&
         !value.isObject();
}

Value jinja::elementOf(Context &context, const Value &object,
                       const Value &index) {
  expectDefined(object, "elements");
  if (object.isDictionary() && isHashable(context, index))
    if (const Value *found = object.dictionary().find(context, index))
      return *found;
  if (index.isWhole() && object.isText())
    return characterOf(context, object, index.integer());
  if (index.isWhole() && object.isSequence() &&
      (object.sequence().type <= Sequence::Range ||
       object.sequence().isTuple())) {
    const std::vector<Value> &elements = object.sequence().elements;
    auto position = positionOf(index.integer(), elements.size());
    return position ? elements[*position] : Value();
  }
  if (!index.isText())
    return Value();
  Value own = ownAttribute(context, object, index.text());
  if (!own.isDefined())
    expectSafe(index.text());
  return own;
}

Value jinja::attributeByPath(Context &context, const Value &object,
                             const Value &path, const Value *fallback) {
  Value result = object;
  auto step = [&](const Value &part) {
    context.addWork(sizeof(Value));
    result = elementOf(context, result, part);
    if (fallback && !result.isDefined())
      result = *fallback;
  };
  if (!path.isText()) {
    step(path);
    return result;
  }
  const std::string &text = path.text();
  context.addWork(text.size());
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('.', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    bool isNumber = !part.empty() && part.size() < 18 &&
                    part.find_first_not_of("0123456789") == std::string::npos;
    step(isNumber ? Value(int64_t(std::stoll(part))) : Value(part));
    begin = end + 1;
  }
  return result;
}

//===-- slices ------------------------------------------------------------===//

SliceBounds::SliceBounds(int64_t count, std::optional<int64_t> first,
                         std::optional<int64_t> last,
                         std::optional<int64_t> givenStep)
    : step(givenStep.value_or(1)) {
  if (step == 0)
    throw Refusal{"the step of a slice is 0"};
  auto clamp = [&](int64_t at) {
    at += at < 0 ? count : 0;
    return std::clamp<int64_t>(at, step < 0 ? -1 : 0,
                               step < 0 ? count - 1 : count);
  };
  begin = first ? clamp(*first) : (step < 0 ? count - 1 : 0);
  end = last ? clamp(*last) : (step < 0 ? -1 : count);
  // A longer step leaves the list as well, and no number its 64 bits.
  step = std::clamp<int64_t>(step, -count - 1, count + 1);
}

static Value sliceOfSequence(Context &context, const Sequence &sequence,
                             const SliceBounds &bounds) {
  ListBuilder list(context);
  bounds.visit([&](size_t i) { list.add(sequence.elements[i]); });
  if (sequence.type == Sequence::Range) {
    const int64_t *own = sequence.bounds;
    Sequence range{Sequence::Range, list.take()};
    auto place = [&](int64_t index, int64_t &number) {
      return !__builtin_mul_overflow(index, own[2], &number) &&
             !__builtin_add_overflow(own[0], number, &number);
    };
    if (!place(bounds.begin, range.bounds[0]) ||
        !place(bounds.end, range.bounds[1]) ||
        __builtin_mul_overflow(own[2], bounds.step, &range.bounds[2]))
      throw Refusal{"a number leaves 64 bits"};
    return Value(std::move(range));
  }
  return sequence.isTuple() ? Value::tuple(list.take()) : list.takeList();
}

Value jinja::sliceOf(Context &context, const Value &object,
                     std::optional<int64_t> first, std::optional<int64_t> last,
                     std::optional<int64_t> step) {
  if (object.isSequence() && (object.sequence().type <= Sequence::Range ||
                              object.sequence().isTuple())) {
    const Sequence &sequence = object.sequence();
    return sliceOfSequence(
        context, sequence,
        SliceBounds(int64_t(sequence.elements.size()), first, last, step));
  }
  if (!object.isText())
    throw Refusal{"expected a list or a text in front of a slice, found " +
                  describe(object)};
  const std::string &text = object.text();
  context.addWork(sizeof(size_t) * text.size());
  std::vector<size_t> begins = charactersOf(text);
  TextBuilder result(context);
  SliceBounds(int64_t(begins.size()) - 1, first, last, step)
      .visit([&](size_t i) {
        result.add({text.data() + begins[i], begins[i + 1] - begins[i]});
      });
  return object.isMarkup() ? Value::markup(result.take()) : result.takeValue();
}
