// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines. LLVM reads them; what is wrong with one is said here, as this
// project says things.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_OPTIONS_H
#define HEDDLE_COMPILER_TOOLS_COMMON_OPTIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace heddle {

/// Whole seconds, minutes or hours, more than none and at most a day: "90s",
/// "5m", "1h".
std::optional<std::chrono::seconds> parseTime(llvm::StringRef text);

/// What the values of options are, if not any text.
class OptionValues {
public:
  struct Kind {
    std::string expected; ///< "an integer", "one of a, b"
    std::function<bool(llvm::StringRef)> holds;
  };

  /// Integers, of which a cl::list has several with commas between, numbers,
  /// and words.
  template <typename T> OptionValues &add(llvm::cl::opt<T> &option) {
    if constexpr (std::is_floating_point_v<T>)
      kinds[std::addressof(option)] = {"a number", [](llvm::StringRef text) {
                                         double value;
                                         return !text.getAsDouble(value);
                                       }};
    else if constexpr (std::is_integral_v<T>)
      kinds[std::addressof(option)] = integer<T>();
    else
      kinds[std::addressof(option)] = oneOf(option.getParser());
    return *this;
  }
  template <typename T> OptionValues &add(llvm::cl::list<T> &option) {
    kinds[std::addressof(option)] = {
        "integers with commas between", [](llvm::StringRef text) {
          llvm::SmallVector<llvm::StringRef> parts;
          text.split(parts, ',');
          return llvm::all_of(parts, integer<T>().holds);
        }};
    return *this;
  }

  OptionValues &add(llvm::cl::opt<std::string> &option, Kind kind) {
    kinds[std::addressof(option)] = std::move(kind);
    return *this;
  }

  /// A time, as parseTime reads it.
  OptionValues &addTime(llvm::cl::opt<std::string> &option);

  /// A text that may be empty; of other options an empty value is a slip.
  template <typename T> OptionValues &addText(llvm::cl::opt<T> &option) {
    kinds[std::addressof(option)] = {"a text",
                                     [](llvm::StringRef) { return true; }};
    return *this;
  }

  /// Null where any text is a value, if it is not empty.
  const Kind *find(const llvm::cl::Option &option) const {
    auto found = kinds.find(&option);
    return found == kinds.end() ? nullptr : &found->second;
  }

private:
  template <typename T> static Kind integer() {
    return {std::is_unsigned_v<T> ? "an integer of at least 0" : "an integer",
            [](llvm::StringRef text) {
              // LLVM takes zeros in front for octal numbers.
              llvm::StringRef digits = text;
              digits.consume_front("-");
              T value;
              return !text.getAsInteger(10, value) &&
                     !(digits.size() > 1 && digits.starts_with("0"));
            }};
  }
  static Kind oneOf(llvm::cl::generic_parser_base &parser) {
    std::vector<llvm::StringRef> words;
    for (unsigned i = 0; i < parser.getNumOptions(); ++i)
      words.push_back(parser.getOption(i));
    return {"one of " + llvm::join(words, ", "), [words](llvm::StringRef text) {
              return llvm::is_contained(words, text);
            }};
  }

  std::map<const llvm::cl::Option *, Kind> kinds;
};

/// Reads the options. `overview` is what --help says of the program, and
/// `argument` what its positional argument is. Fails on what is unknown,
/// missing, empty or given twice, and on values of another kind; --help and
/// --version end the program.
llvm::Error parseOptions(int argc, char **argv, llvm::StringRef overview,
                         llvm::StringRef argument, const OptionValues &values);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_OPTIONS_H
