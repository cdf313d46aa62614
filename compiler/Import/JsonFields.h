// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Typed, checked access to the fields of a JSON object, for files that others
// wrote: every message names the file, the field, and what was expected there
// and what was found.

#ifndef HEDDLE_COMPILER_IMPORT_JSONFIELDS_H
#define HEDDLE_COMPILER_IMPORT_JSONFIELDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace heddle {

/// Reads `text` as one JSON object; `file` names it in errors. Stricter than
/// llvm::json::parse, which keeps one of two equal keys without a word and
/// recurses as deep as the text nests: a key that an object holds twice and
/// nesting beyond 64 levels are errors.
llvm::Expected<llvm::json::Object> parseJsonObject(llvm::StringRef text,
                                                   llvm::StringRef file);

/// Reads the file `path`, at most 100 MB, as parseJsonObject does.
llvm::Expected<llvm::json::Object> readJsonFile(llvm::StringRef path);
/// The same of a file that holds an array.
llvm::Expected<llvm::json::Array> readJsonArray(llvm::StringRef path);

/// The keys of `object` in ascending order, so that what is reported first
/// never depends on a hash.
llvm::SmallVector<llvm::StringRef> sortedKeys(const llvm::json::Object &object);

/// `value` as JSON text for a message, cut where it gets long.
std::string describe(const llvm::json::Value &value);

/// Reads the fields of one object and remembers the first that is wrong, so
/// that a reader of many fields checks once, at the end. After a failure every
/// further read is harmless and returns its fallback or zero.
class JsonFields {
public:
  /// `where` starts each message: "model.safetensors: tensor 'x'". `object`
  /// must outlive this.
  JsonFields(const llvm::json::Object &object, std::string where)
      : fields(object), where(std::move(where)) {}

  /// Whether the field is there and not null.
  bool has(llvm::StringRef name);

  // Each returns the field's value, or `fallback` where the field is absent; an
  // absent field without a fallback and null are errors.

  /// An integer in [lowest, highest], lowest being at least 0; 1.0 and 1e3 are
  /// not integers.
  int64_t integer(llvm::StringRef name, int64_t lowest, int64_t highest,
                  std::optional<int64_t> fallback = std::nullopt);
  /// A finite number, greater than zero or (`zeroAllowed`) at least zero.
  double positive(llvm::StringRef name,
                  std::optional<double> fallback = std::nullopt,
                  bool zeroAllowed = false);
  bool boolean(llvm::StringRef name,
               std::optional<bool> fallback = std::nullopt);
  llvm::StringRef text(llvm::StringRef name,
                       std::optional<llvm::StringRef> fallback = std::nullopt);
  /// An array of integers, each in [lowest, highest].
  llvm::SmallVector<int64_t> integers(llvm::StringRef name, int64_t lowest,
                                      int64_t highest);

  /// An array of finite, positive numbers.
  llvm::SmallVector<double> positives(llvm::StringRef name);
  /// The object of that name, which must be one.
  const llvm::json::Object &object(llvm::StringRef name);
  llvm::SmallVector<llvm::StringRef> texts(llvm::StringRef name);

  /// Says that `name` has been looked at. Every function above does.
  void ask(llvm::StringRef name) { asked.insert(name); }
  bool wasAsked(llvm::StringRef name) const { return asked.contains(name); }
  /// Records a failure where there is a field that nothing has asked for.
  void rejectUnasked();

  /// Records that `name` is not as `expected`, unless something already failed.
  void fail(llvm::StringRef name, const llvm::Twine &expected,
            const llvm::Twine &actual);
  /// The same, with the field's own text (or "nothing") for what was found.
  void fail(llvm::StringRef name, const llvm::Twine &expected);
  /// Records that nobody here knows what `name` means.
  void rejectUnknown(llvm::StringRef name);

  /// Takes over the failure of `inner`, the fields of an object inside this
  /// one.
  void merge(const JsonFields &inner);

  bool failed() const { return !firstError.empty(); }
  /// The first failure, or success.
  llvm::Error takeError() const;

private:
  /// Records `message`, about the field `name`.
  void reject(llvm::StringRef name, const llvm::Twine &message);
  /// The field's value; null (after a failure where there is no fallback) if it
  /// is absent.
  const llvm::json::Value *find(llvm::StringRef name, bool required,
                                const llvm::Twine &expected);

  const llvm::json::Object &fields;
  std::string where;
  std::string firstError;
  llvm::StringSet<> asked;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_JSONFIELDS_H
