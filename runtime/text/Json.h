// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Typed, checked access to the fields of a JSON object, for files that others
// wrote: every message names the file, the field, and what was expected there
// and what was found.

#ifndef HEDDLE_TEXT_JSON_H
#define HEDDLE_TEXT_JSON_H

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

class FileSet;

/// The keys of its objects ascend, so that what is reported first never depends
/// on a hash.
using Json = nlohmann::json;

/// Reads `text` as one JSON object; `file` names it in errors. A key that an
/// object holds twice, nesting beyond 64 levels and text that is not UTF-8 are
/// errors.
Json parseJsonObject(std::string_view text, const std::string &file);

/// Reads a file, at most 100 MB, as parseJsonObject does.
Json readJsonFile(const FileSet &files, const std::string &name);

/// `value` as JSON text for a message, cut where it gets long.
std::string describe(const Json &value);

// Null if `object` has no such field, or it is of another type.

const Json *findField(const Json &object, std::string_view name);
const Json *findObject(const Json &object, std::string_view name);
const Json *findArray(const Json &object, std::string_view name);
const std::string *findText(const Json &object, std::string_view name);

/// Null if `value` is no string.
const std::string *textOf(const Json &value);

/// Reads the fields of one object. Whatever is wrong throws a Failure.
class Fields {
public:
  /// `where` starts each message: "tokenizer.json: model". `object` must
  /// outlive this.
  Fields(const Json &object, std::string where)
      : object(object), where(std::move(where)) {}

  /// Whether the field is there and not null.
  bool has(std::string_view name) const;

  // Each returns the field's value, or `fallback` where the field is absent; an
  // absent field without a fallback and null are errors.

  /// A non-negative integer of at most `highest`; 1.0 and 1e3 are not integers.
  int64_t integer(std::string_view name, int64_t highest) const;
  /// A number >= 0.
  double nonNegative(std::string_view name) const;
  bool boolean(std::string_view name,
               std::optional<bool> fallback = std::nullopt) const;
  std::string text(std::string_view name, const char *fallback = nullptr) const;
  /// The bytes that a string has in base 64.
  std::string base64(std::string_view name) const;
  /// An array of integers, each as `integer` takes them.
  std::vector<int32_t> integers(std::string_view name, int32_t highest) const;

  /// Fails as `name` is not as `expected`.
  [[noreturn]] void fail(std::string_view name, const std::string &expected,
                         const std::string &actual) const;
  /// The same, with the field's own text (or "nothing") for what was found.
  [[noreturn]] void fail(std::string_view name,
                         const std::string &expected) const;
  /// Fails for the first field that is not among `known`: a field that a newer
  /// version added may change the ids.
  void rejectOthers(std::initializer_list<std::string_view> known) const;

private:
  const Json &object;
  std::string where;
};

/// Bytes as text in base 64.
std::string toBase64(std::string_view bytes);

} // namespace heddle::text

#endif // HEDDLE_TEXT_JSON_H
