// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Json.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Files.h"
#include "runtime/text/Utf8.h"

#include <algorithm>

using namespace heddle::text;

static constexpr size_t maxDepth = 64;
static constexpr size_t maxFileSize = 100'000'000;

//===-- text to object ----------------------------------------------------===//

namespace {
/// Builds the value that the parser reads. The parser itself keeps one of two
/// equal keys without a word and nests without a limit.
class Builder : public nlohmann::json_sax<Json> {
public:
  explicit Builder(const std::string &file) : file(file) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string &) override {
    return add(value);
  }
  bool string(std::string &value) override { return add(std::move(value)); }
  bool binary(Json::binary_t &value) override { return add(std::move(value)); }

  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string &name) override {
    Level &level = levels.back();
    auto [field, isNew] = level.value->emplace(std::move(name), nullptr);
    level.field = field;
    if (isNew)
      return true;
    std::string inside;
    if (levels.size() > 1 && levels[levels.size() - 2].value->is_object())
      inside = " in '" + levels[levels.size() - 2].field.key() + "'";
    throw Failure(file + ": expected each name once, got '" + field.key() +
                  "' twice" + inside);
  }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // Without the exception's own name, "[json.exception.parse_error.101] ".
    std::string message = error.what();
    size_t name = message.find("] ");
    throw Failure(file + ": malformed JSON: " +
                  message.substr(name == std::string::npos ? 0 : name + 2));
  }

  Json root;

private:
  /// An object or array that is not complete yet.
  struct Level {
    Json *value;
    /// Of an object: the field whose value comes next.
    Json::iterator field;
  };

  Json *place(Json value) {
    if (levels.empty()) {
      root = std::move(value);
      return &root;
    }
    Level &level = levels.back();
    if (level.value->is_array()) {
      level.value->push_back(std::move(value));
      return &level.value->back();
    }
    *level.field = std::move(value);
    return &*level.field;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (levels.size() == maxDepth)
      throw Failure(file + ": malformed JSON: expected at most " +
                    std::to_string(maxDepth) + " nested levels, got more");
    levels.push_back({place(std::move(value)), {}});
    return true;
  }
  bool close() {
    levels.pop_back();
    return true;
  }

  const std::string &file;
  std::vector<Level> levels;
};
} // namespace

Json heddle::text::parseJsonObject(std::string_view text,
                                   const std::string &file) {
  // The parser skips a byte order mark and ends at a zero.
  if (text.substr(0, 3) == "\xEF\xBB\xBF")
    throw Failure(file + ": malformed JSON: got a byte order mark");
  if (size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw Failure(file + ": malformed JSON: got a zero byte at offset " +
                  std::to_string(zero));
  Builder builder(file);
  Json::sax_parse(text.begin(), text.end(), &builder);
  if (!builder.root.is_object())
    throw Failure(file + ": expected a JSON object, got " +
                  describe(builder.root));
  return std::move(builder.root);
}

Json heddle::text::readJsonFile(const FileSet &files, const std::string &name) {
  return parseJsonObject(files.read(name, maxFileSize, "JSON"),
                         files.pathOf(name));
}

std::string heddle::text::describe(const Json &value) {
  constexpr size_t longest = 60;
  std::string text = value.dump();
  if (text.size() <= longest)
    return text;
  return std::string(cutAtCharacter(text, longest)) + "...";
}

const Json *heddle::text::findField(const Json &object, std::string_view name) {
  auto found = object.find(std::string(name));
  return found == object.end() ? nullptr : &*found;
}

const Json *heddle::text::findObject(const Json &object,
                                     std::string_view name) {
  const Json *value = findField(object, name);
  return value && value->is_object() ? value : nullptr;
}

const Json *heddle::text::findArray(const Json &object, std::string_view name) {
  const Json *value = findField(object, name);
  return value && value->is_array() ? value : nullptr;
}

const std::string *heddle::text::textOf(const Json &value) {
  return value.get_ptr<const std::string *>();
}

const std::string *heddle::text::findText(const Json &object,
                                          std::string_view name) {
  const Json *value = findField(object, name);
  return value ? textOf(*value) : nullptr;
}

//===-- Fields ------------------------------------------------------------===//

bool Fields::has(std::string_view name) const {
  const Json *value = findField(object, name);
  return value && !value->is_null();
}

static std::string integerUpTo(int64_t highest) {
  return "a non-negative integer <= " + std::to_string(highest);
}

/// Of numbers that are written as integers only.
static std::optional<int64_t> integerOf(const Json &value, int64_t highest) {
  // The parser calls positive ones unsigned, and -0 signed.
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX)
    return std::nullopt;
  if (!value.is_number_integer() || value.get<int64_t>() < 0 ||
      value.get<int64_t>() > highest)
    return std::nullopt;
  return value.get<int64_t>();
}

int64_t Fields::integer(std::string_view name, int64_t highest) const {
  const Json *value = findField(object, name);
  std::optional<int64_t> integer =
      value ? integerOf(*value, highest) : std::nullopt;
  if (!integer)
    fail(name, integerUpTo(highest));
  return *integer;
}

double Fields::nonNegative(std::string_view name) const {
  const Json *value = findField(object, name);
  if (!value || !value->is_number() || value->get<double>() < 0)
    fail(name, "a finite number >= 0");
  return value->get<double>();
}

bool Fields::boolean(std::string_view name,
                     std::optional<bool> fallback) const {
  const Json *value = findField(object, name);
  if (!value && fallback)
    return *fallback;
  if (!value || !value->is_boolean())
    fail(name, "true or false");
  return value->get<bool>();
}

std::string Fields::text(std::string_view name, const char *fallback) const {
  const Json *value = findField(object, name);
  if (!value && fallback)
    return fallback;
  if (!value || !value->is_string())
    fail(name, "a string");
  return *textOf(*value);
}

static constexpr std::string_view base64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string heddle::text::toBase64(std::string_view bytes) {
  std::string encoded;
  for (size_t begin = 0; begin < bytes.size(); begin += 3) {
    uint32_t bits = 0;
    size_t count = std::min<size_t>(bytes.size() - begin, 3);
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? uint8_t(bytes[begin + i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      encoded += i > count ? '=' : base64Digits[bits >> (18 - 6 * i) & 63];
  }
  return encoded;
}

std::string Fields::base64(std::string_view name) const {
  std::string encoded = text(name);
  std::string_view left = encoded;
  // 4 digits are 3 bytes, of which each = at the end takes one away.
  bool isWhole = left.size() % 4 == 0;
  for (int i = 0; i < 2 && !left.empty() && left.back() == '='; ++i)
    left.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char character : left) {
    size_t digit = base64Digits.find(character);
    isWhole &= digit != std::string_view::npos;
    bits = bits << 6 | (digit & 63);
    count += 6;
    if (count < 8)
      continue;
    count -= 8;
    bytes += char(bits >> count);
  }
  if (!isWhole || count >= 6)
    fail(name, "text in base 64");
  return bytes;
}

std::vector<int32_t> Fields::integers(std::string_view name,
                                      int32_t highest) const {
  const Json *array = findArray(object, name);
  if (!array)
    fail(name, "an array of integers");
  std::vector<int32_t> integers;
  for (const Json &element : *array) {
    std::optional<int64_t> integer = integerOf(element, highest);
    if (!integer)
      fail(std::string(name) + "[" + std::to_string(integers.size()) + "]",
           integerUpTo(highest), describe(element));
    integers.push_back(int32_t(*integer));
  }
  return integers;
}

void Fields::fail(std::string_view name, const std::string &expected,
                  const std::string &actual) const {
  throw Failure(where + ": field '" + std::string(name) + "': expected " +
                expected + ", got " + actual);
}

void Fields::fail(std::string_view name, const std::string &expected) const {
  const Json *value = findField(object, name);
  fail(name, expected, value ? describe(*value) : "nothing");
}

void Fields::rejectOthers(std::initializer_list<std::string_view> known) const {
  for (const auto &field : object.items())
    if (std::find(known.begin(), known.end(), field.key()) == known.end())
      throw Failure(where + ": field '" + field.key() +
                    "' is not known to this importer; it may change the "
                    "result");
}
