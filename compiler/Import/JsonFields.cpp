// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/JsonFields.h"

#include "compiler/Support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

static constexpr size_t maxDepth = 64;
static constexpr uint64_t maxFileSize = 100'000'000;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===-- text to object ----------------------------------------------------===//

/// The end of the string that starts at `text[begin] == '"'`, one past its
/// closing quote; npos if there is none.
static size_t endOfString(StringRef text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return StringRef::npos;
}

/// Rejects what json::parse would hide or not survive. In well-formed JSON a
/// string is a key if and only if a colon follows, so this needs no grammar;
/// of malformed text it may see less, and json::parse reports that.
static Error checkKeysAndDepth(StringRef text, StringRef file) {
  struct Level {
    StringSet<> keys;
    std::string lastKey;
  };
  SmallVector<Level, 4> open;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '{':
    case '[':
      if (open.size() == maxDepth)
        return makeError(file + ": malformed JSON: expected at most " +
                         Twine(maxDepth) + " nested levels, got more");
      open.emplace_back();
      break;
    case '}':
    case ']':
      if (open.empty())
        return Error::success();
      open.pop_back();
      break;
    case '"': {
      size_t end = endOfString(text, i);
      if (end == StringRef::npos)
        return Error::success();
      StringRef literal = text.slice(i, end);
      i = end - 1;
      if (open.empty() || !text.substr(end).ltrim(" \t\r\n").starts_with(":"))
        break;
      // Escapes can spell one key in many ways: compare what they mean.
      std::string key = literal.drop_front().drop_back().str();
      if (literal.contains('\\')) {
        Expected<json::Value> unescaped = json::parse(literal);
        if (!unescaped) {
          consumeError(unescaped.takeError());
          return Error::success();
        }
        key = unescaped->getAsString().value_or("").str();
      }
      if (!open.back().keys.insert(key).second) {
        std::string inside;
        if (open.size() > 1 && !open[open.size() - 2].lastKey.empty())
          inside = " in '" + open[open.size() - 2].lastKey + "'";
        return makeError(file + ": expected each name once, got '" + key +
                         "' twice" + inside);
      }
      open.back().lastKey = std::move(key);
      break;
    }
    default:
      break;
    }
  }
  return Error::success();
}

static Expected<json::Value> parseJson(StringRef text, StringRef file) {
  if (Error error = checkKeysAndDepth(text, file))
    return error;
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return makeError(file + ": malformed JSON: " + toString(value.takeError()));
  return value;
}

Expected<json::Object> heddle::parseJsonObject(StringRef text, StringRef file) {
  Expected<json::Value> value = parseJson(text, file);
  if (!value)
    return value.takeError();
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return makeError(file + ": expected a JSON object, got " + describe(*value));
}

Expected<json::Object> heddle::readJsonFile(StringRef path) {
  auto buffer = readRegularFile(path, maxFileSize);
  if (!buffer)
    return buffer.takeError();
  return parseJsonObject((*buffer)->getBuffer(), path);
}

Expected<json::Array> heddle::readJsonArray(StringRef path) {
  auto buffer = readRegularFile(path, maxFileSize);
  if (!buffer)
    return buffer.takeError();
  Expected<json::Value> value = parseJson((*buffer)->getBuffer(), path);
  if (!value)
    return value.takeError();
  if (json::Array *array = value->getAsArray())
    return std::move(*array);
  return makeError(path + ": expected a JSON array, got " + describe(*value));
}

SmallVector<StringRef> heddle::sortedKeys(const json::Object &object) {
  SmallVector<StringRef> keys;
  for (const auto &field : object)
    keys.push_back(field.first);
  sort(keys);
  return keys;
}

std::string heddle::describe(const json::Value &value) {
  constexpr size_t longest = 60;
  std::string text;
  raw_string_ostream(text) << value;
  if (text.size() <= longest)
    return text;
  // The cut may fall inside a character.
  return json::fixUTF8(StringRef(text).take_front(longest)) + "...";
}

//===-- JsonFields --------------------------------------------------------===//

bool JsonFields::has(StringRef name) {
  ask(name);
  const json::Value *value = fields.get(name);
  return value && value->kind() != json::Value::Null;
}

const json::Value *JsonFields::find(StringRef name, bool required,
                                    const Twine &expected) {
  ask(name);
  const json::Value *value = fields.get(name);
  if (!value && required)
    fail(name, expected);
  return value;
}

static std::string integerIn(int64_t lowest, int64_t highest) {
  std::string kind = lowest == 0 ? "a non-negative integer"
                     : lowest == 1
                         ? "a positive integer"
                         : "an integer >= " + std::to_string(lowest) + " and";
  if (highest != INT64_MAX)
    kind += " <= " + std::to_string(highest);
  return kind;
}

/// Numbers that are written as integers only: getAsInteger would round 1e300 or
/// take 1.0, getAsUINT64 takes integer literals.
static std::optional<int64_t> integerOf(const json::Value &value,
                                        int64_t lowest, int64_t highest) {
  std::optional<uint64_t> integer = value.getAsUINT64();
  if (!integer || *integer > uint64_t(highest) || int64_t(*integer) < lowest)
    return std::nullopt;
  return int64_t(*integer);
}

/// The same as `describe`, but 8.0, which is no integer, is not called 8.
static std::string describeNonInteger(const json::Value &value) {
  std::optional<double> number = value.getAsNumber();
  // Not getAsInteger, which converts what no integer holds.
  bool isFraction = number && !value.getAsUINT64() && *number >= 0 &&
                    *number < 0x1p63 && *number == std::trunc(*number);
  return describe(value) + (isFraction ? ".0" : "");
}

int64_t JsonFields::integer(StringRef name, int64_t lowest, int64_t highest,
                            std::optional<int64_t> fallback) {
  const json::Value *value = find(name, !fallback, integerIn(lowest, highest));
  if (!value)
    return fallback.value_or(0);
  if (std::optional<int64_t> integer = integerOf(*value, lowest, highest))
    return *integer;
  fail(name, integerIn(lowest, highest), describeNonInteger(*value));
  return fallback.value_or(0);
}

double JsonFields::positive(StringRef name, std::optional<double> fallback,
                            bool zeroAllowed) {
  const char *expected =
      zeroAllowed ? "a finite number >= 0" : "a finite number > 0";
  const json::Value *value = find(name, !fallback, expected);
  if (!value)
    return fallback.value_or(0);
  std::optional<double> number = value->getAsNumber();
  if (number && std::isfinite(*number) &&
      (*number > 0 || (zeroAllowed && *number == 0)))
    return *number;
  fail(name, expected);
  return fallback.value_or(0);
}

bool JsonFields::boolean(StringRef name, std::optional<bool> fallback) {
  const json::Value *value = find(name, !fallback, "true or false");
  if (!value)
    return fallback.value_or(false);
  if (std::optional<bool> boolean = value->getAsBoolean())
    return *boolean;
  fail(name, "true or false");
  return fallback.value_or(false);
}

StringRef JsonFields::text(StringRef name, std::optional<StringRef> fallback) {
  const json::Value *value = find(name, !fallback, "a string");
  if (!value)
    return fallback.value_or("");
  if (std::optional<StringRef> text = value->getAsString())
    return *text;
  fail(name, "a string");
  return fallback.value_or("");
}

SmallVector<int64_t> JsonFields::integers(StringRef name, int64_t lowest,
                                          int64_t highest) {
  SmallVector<int64_t> integers;
  const json::Value *value = find(name, true, "an array of integers");
  if (!value)
    return integers;
  const json::Array *array = value->getAsArray();
  if (!array) {
    fail(name, "an array of integers");
    return integers;
  }
  for (const auto &[index, element] : enumerate(*array)) {
    std::optional<int64_t> integer = integerOf(element, lowest, highest);
    if (!integer) {
      fail((name + "[" + Twine(index) + "]").str(), integerIn(lowest, highest),
           describeNonInteger(element));
      return {};
    }
    integers.push_back(*integer);
  }
  return integers;
}

SmallVector<double> JsonFields::positives(StringRef name) {
  SmallVector<double> numbers;
  const json::Value *value = find(name, true, "an array of numbers > 0");
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array) {
    fail(name, "an array of numbers > 0");
    return numbers;
  }
  for (const json::Value &element : *array) {
    std::optional<double> number = element.getAsNumber();
    if (!number || !std::isfinite(*number) || *number <= 0) {
      fail(name, "an array of finite numbers > 0", describe(element));
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

SmallVector<StringRef> JsonFields::texts(StringRef name) {
  SmallVector<StringRef> texts;
  const json::Value *value = find(name, true, "an array of strings");
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (array)
    for (const json::Value &element : *array)
      if (std::optional<StringRef> text = element.getAsString())
        texts.push_back(*text);
  if (array && texts.size() == array->size())
    return texts;
  fail(name, "an array of strings");
  return {};
}

const json::Object &JsonFields::object(StringRef name) {
  static const json::Object none;
  const json::Value *value = find(name, true, "an object");
  const json::Object *found = value ? value->getAsObject() : nullptr;
  if (found)
    return *found;
  fail(name, "an object");
  return none;
}

void JsonFields::rejectUnasked() {
  for (StringRef name : sortedKeys(fields))
    if (!asked.contains(name))
      rejectUnknown(name);
}

void JsonFields::fail(StringRef name, const Twine &expected,
                      const Twine &actual) {
  reject(name, "expected " + expected + ", got " + actual);
}

void JsonFields::fail(StringRef name, const Twine &expected) {
  const json::Value *value = fields.get(name);
  fail(name, expected, value ? describe(*value) : std::string("nothing"));
}

void JsonFields::reject(StringRef name, const Twine &message) {
  if (!failed())
    firstError = (Twine(where) + ": field '" + name + "': " + message).str();
}

void JsonFields::rejectUnknown(StringRef name) {
  if (!failed())
    firstError = (Twine(where) + ": field '" + name +
                  "' is not known to this importer; it may change the result")
                     .str();
}

void JsonFields::merge(const JsonFields &inner) {
  if (!failed())
    firstError = inner.firstError;
}

Error JsonFields::takeError() const {
  return failed() ? makeError(firstError) : Error::success();
}
