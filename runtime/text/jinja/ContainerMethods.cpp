// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Methods of lists, tuples, objects and views.

#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Methods.h"
#include "runtime/text/jinja/Operators.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace heddle::text;
using namespace heddle::text::jinja;

using Names = std::set<std::string, std::less<>>;

// All that Python has, so that an element of that name is hidden as it is in
// Python.
static const Names &namesOf(const Value &value) {
  static const Names none;
  static const Names lists = {"append", "clear",   "copy",   "count",
                              "extend", "index",   "insert", "pop",
                              "remove", "reverse", "sort"};
  static const Names tuples = {"count", "index"};
  static const Names ranges = {"count", "index", "start", "stop", "step"};
  static const Names views = {"isdisjoint", "mapping"};
  static const Names objects = {"clear",      "copy",   "fromkeys", "get",
                                "items",      "keys",   "pop",      "popitem",
                                "setdefault", "update", "values"};
  static const Names integers = {
      "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator",
      "from_bytes",       "imag",      "numerator",  "real",      "to_bytes"};
  static const Names floats = {
      "as_integer_ratio", "conjugate", "fromhex", "hex",
      "is_integer",       "imag",      "real"};
  static const Names generators = {"close",      "gi_code",      "gi_frame",
                                   "gi_running", "gi_yieldfrom", "send",
                                   "throw"};
  if (value.isText())
    return textMethodNames(value.isMarkup());
  if (value.isDictionary())
    return objects;
  if (value.isWhole())
    return integers;
  if (value.isFloat())
    return floats;
  if (value.isIterator())
    return generators;
  if (!value.isSequence())
    return none;
  const Sequence &sequence = value.sequence();
  return sequence.type == Sequence::List    ? lists
         : sequence.isTuple()               ? tuples
         : sequence.type == Sequence::Range ? ranges
                                            : views;
}

bool jinja::hasMethod(const Value &value, const std::string &name) {
  return namesOf(value).count(name);
}

static Value viewOf(Context &context, const Dictionary &dictionary,
                    Sequence::Type type) {
  ListBuilder list(context);
  for (const auto &[key, value] : dictionary.entries)
    list.add(type == Sequence::Items  ? Value::tuple({key, value})
             : type == Sequence::Keys ? key
                                      : value);
  return Value(Sequence{type, list.take()});
}

static Value callOfDictionary(Context &context, const std::string &name,
                              const Value &object, const Arguments &arguments) {
  const Dictionary &dictionary = object.dictionary();
  if (name == "get") {
    Parameters given(name, arguments, {"key", "default"}, 1);
    const Value *found = dictionary.find(context, given.at(0));
    return found ? *found : given.find(1) ? given.at(1) : Value::none();
  }
  if (name == "fromkeys") {
    Parameters given(name, arguments, {"keys", "value"}, 1);
    Dictionary result;
    for (const Value &key : elementsOf(context, given.at(0)))
      result.set(context, key, given.find(1) ? given.at(1) : Value::none());
    return Value(std::move(result));
  }
  Parameters none(name, arguments, {});
  if (name == "copy")
    return Value(copyOf(context, dictionary));
  if (name == "items")
    return viewOf(context, dictionary, Sequence::Items);
  return viewOf(context, dictionary,
                name == "keys" ? Sequence::Keys : Sequence::Values);
}

static Value callOfSequence(Context &context, const std::string &name,
                            const Value &object, const Arguments &arguments) {
  const std::vector<Value> &elements = object.sequence().elements;
  if (name == "copy") {
    Parameters none(name, arguments, {});
    return Value::list(elementsOf(context, object));
  }
  Parameters given(name, arguments, {"value", "start", "stop"}, 1);
  if (name == "count" && given.find(1))
    throw Refusal{"'count' of a list takes one argument"};
  int64_t count = 0;
  SliceBounds bounds(int64_t(elements.size()), given.optionalInteger(1),
                     given.optionalInteger(2), 1);
  for (int64_t i = bounds.begin; i < bounds.end; ++i) {
    bool isEqual = areEqual(context, elements[size_t(i)], given.at(0));
    if (isEqual && name == "index")
      return Value(i);
    count += isEqual;
  }
  if (name == "index")
    throw Refusal{"'index' does not find " + describe(given.at(0))};
  return Value(count);
}

/// The sandbox of transformers refuses them, too.
static bool changes(const std::string &name) {
  static const Names names = {"append",     "clear",   "extend", "insert",
                              "pop",        "popitem", "remove", "reverse",
                              "setdefault", "sort",    "update"};
  return names.count(name);
}

Value jinja::callMethod(Context &context, const std::string &name,
                        const Value &object, const Arguments &arguments) {
  static const Names takeNames = {"expandtabs", "format", "rsplit", "split",
                                  "splitlines"};
  if (!arguments.named.empty() && !takeNames.count(name))
    throw Refusal{"'" + name + "' takes no named arguments"};
  if (object.isText())
    return callTextMethod(context, name, object, arguments);
  if (changes(name) && (object.isDictionary() || object.isSequence()))
    throw Refusal{"the method '" + name + "' changes " + describe(object) +
                  ", and templates change no values"};
  if (object.isDictionary())
    return callOfDictionary(context, name, object, arguments);
  bool isKnown = object.isSequence() &&
                 (name == "count" || name == "index" || name == "copy");
  if (isKnown)
    return callOfSequence(context, name, object, arguments);
  if (object.isFloat() && name == "is_integer")
    return Value(std::isfinite(object.number()) &&
                 std::trunc(object.number()) == object.number());
  throw Refusal{"the method '" + name + "' of " + describe(object) +
                " is not supported"};
}
