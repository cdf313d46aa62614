// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of templates, and the objects that they make.

#include "runtime/text/jinja/Functions.h"

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Printing.h"

#include <functional>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

class Function : public Object {
public:
  using Body = std::function<Value(Context &, const Arguments &)>;
  Function(std::string title, Body body)
      : title(std::move(title)), body(std::move(body)) {}
  std::string name() const override { return "the function '" + title + "'"; }
  bool isCallable() const override { return true; }
  Value call(Context &context, const Arguments &arguments) override {
    return body(context, arguments);
  }
  void clear() override { body = nullptr; }

private:
  std::string title;
  Body body;
};

/// Its values are the one thing of templates that changes.
class Namespace : public Object {
public:
  explicit Namespace(Dictionary values) : values(std::move(values)) {}
  std::string name() const override { return "a namespace"; }
  Value attribute(Context &context, const std::string &name) override {
    const Value *found = values.find(context, Value(name));
    return found ? *found : Value();
  }
  void set(Context &context, const std::string &name, Value value) {
    values.set(context, Value(name), std::move(value));
  }
  void clear() override { values = {}; }

private:
  Dictionary values;
};

class Cycler : public Object {
public:
  explicit Cycler(std::vector<Value> items) : items(std::move(items)) {}
  std::string name() const override { return "a cycler"; }
  Value attribute(Context &context, const std::string &name) override {
    if (name == "current")
      return items[at];
    if (name == "next")
      return Value(
          context.make<Function>("next", [this](Context &, const Arguments &) {
            Value value = items[at];
            at = (at + 1) % items.size();
            return value;
          }));
    if (name == "reset")
      return Value(
          context.make<Function>("reset", [this](Context &, const Arguments &) {
            at = 0;
            return Value::none();
          }));
    return Value();
  }
  void clear() override { items.clear(); }

private:
  std::vector<Value> items;
  size_t at = 0;
};

class Joiner : public Object {
public:
  explicit Joiner(Value separator) : separator(std::move(separator)) {}
  std::string name() const override { return "a joiner"; }
  bool isCallable() const override { return true; }
  Value call(Context &, const Arguments &) override {
    if (std::exchange(isUsed, true))
      return separator;
    return Value("");
  }
  void clear() override { separator = Value(); }

private:
  Value separator;
  bool isUsed = false;
};

} // namespace

static Value range(Context &context, const Arguments &arguments) {
  size_t count = arguments.values.size();
  if (count < 1 || count > 3 || !arguments.named.empty())
    throw Refusal{"'range' takes one to three integers"};
  Sequence range{Sequence::Range, {}};
  range.bounds[2] = 1;
  for (size_t i = 0; i < count; ++i)
    range.bounds[count == 1 ? 1 : i] = integerOf(arguments.values[i], "range");
  const int64_t *bounds = range.bounds;
  if (bounds[2] == 0)
    throw Refusal{"the step of a range is 0"};
  ListBuilder list(context);
  for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
    list.add(Value(i));
    if (__builtin_add_overflow(i, bounds[2], &i))
      break;
  }
  range.elements = list.take();
  return Value(std::move(range));
}

/// Of an object or of pairs, and of names.
static Dictionary dictionaryOf(Context &context, const Arguments &arguments) {
  Dictionary result;
  if (arguments.values.size() > 1)
    throw Refusal{"'dict' takes one object, found " +
                  std::to_string(arguments.values.size()) + " arguments"};
  if (!arguments.values.empty()) {
    const Value &first = arguments.values[0];
    if (!first.isDefined())
      throw Refusal{"'dict' takes an object, found an undefined value"};
    if (first.isDictionary())
      result = copyOf(context, first.dictionary());
    else
      for (const Value &pair : elementsOf(context, first)) {
        std::vector<Value> both = elementsOf(context, pair);
        if (both.size() != 2)
          throw Refusal{"'dict' takes pairs, found " + describe(pair)};
        result.set(context, both[0], both[1]);
      }
  }
  for (const auto &[key, value] : arguments.named)
    result.set(context, Value(key), value);
  return result;
}

// Of a time that knows no zone and has no part of a second, as in Python, C has
// no such names.
static std::string withoutZone(const std::string &format) {
  std::string result;
  for (size_t i = 0; i < format.size(); ++i) {
    char next = i + 1 < format.size() ? format[i + 1] : 0;
    if (format[i] != '%' || !next) {
      result += format[i];
      continue;
    }
    ++i;
    if (next == 'f')
      result += "000000";
    else if (next != 'z' && next != 'Z')
      result.append({'%', next});
  }
  return result;
}

/// The local time in seconds, as transformers gives templates that of Python.
static Value formatNow(Context &context, const Arguments &arguments) {
  static const std::string who = "strftime_now";
  Parameters given(who, arguments, {"format"}, 1);
  // strftime tells nothing from a failure; a character in front is something.
  std::string format = " " + withoutZone(given.text(0));
  char text[1024];
  std::tm parts = {};
  size_t size = localtime_r(&context.now, &parts)
                    ? std::strftime(text, sizeof(text), format.c_str(), &parts)
                    : 0;
  if (size == 0)
    throw Refusal{"strftime_now of a format that makes more than 1 KiB"};
  return Value(heddle::text::toUtf8({text + 1, size - 1}));
}

static Value raise(Context &context, const Arguments &arguments) {
  static const std::string who = "raise_exception";
  Parameters given(who, arguments, {"message"}, 1);
  throw Refusal{textOfAny(context, given.at(0))};
}

static Value makeJoiner(Context &context, const Arguments &arguments) {
  static const std::string who = "joiner";
  Parameters given(who, arguments, {"sep"});
  return Value(context.make<Joiner>(given.find(0) ? given.at(0) : Value(", ")));
}

static Value makeCycler(Context &context, const Arguments &arguments) {
  if (arguments.values.empty() || !arguments.named.empty())
    throw Refusal{"'cycler' takes at least one item"};
  return Value(context.make<Cycler>(arguments.values));
}

Value jinja::globalFunction(Context &context, const std::string &name) {
  static const std::map<std::string, Function::Body> functions = {
      {"cycler", makeCycler},
      {"dict",
       [](Context &context, const Arguments &arguments) {
         return Value(dictionaryOf(context, arguments));
       }},
      {"joiner", makeJoiner},
      {"namespace",
       [](Context &context, const Arguments &arguments) {
         return Value(
             context.make<Namespace>(dictionaryOf(context, arguments)));
       }},
      {"raise_exception", raise},
      {"range", range},
      {"strftime_now", formatNow}};
  auto found = functions.find(name);
  if (found != functions.end())
    return Value(context.make<Function>(name, found->second));
  if (name == "lipsum")
    throw Refusal{"the function 'lipsum' is not supported: it is random"};
  return Value();
}

Value jinja::boundMethod(Context &context, const Value &object,
                         const std::string &name) {
  auto call = [object, name](Context &context, const Arguments &arguments) {
    return callMethod(context, name, object, arguments);
  };
  return Value(context.make<Function>(name, call));
}

void jinja::setAttribute(Context &context, const Value &object,
                         const std::string &name, Value value) {
  auto *space = object.as<Namespace>();
  if (!space)
    throw Refusal{"expected a namespace, found " + describe(object)};
  space->set(context, name, std::move(value));
}
