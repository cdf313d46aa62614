// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first step of tokenization: rewrites text, for example to one of the
// Unicode normal forms.

#ifndef HEDDLE_TEXT_TEXTNORMALIZER_H
#define HEDDLE_TEXT_TEXTNORMALIZER_H

#include "runtime/text/Budget.h"
#include "runtime/text/Json.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

/// The "normalizer" of a tokenizer.json. Immutable.
class TextNormalizer {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static TextNormalizer fromJson(const Json *value, const std::string &where);

  /// `startRemoved`, where it is not null, becomes true if the first character
  /// was taken out.
  std::string run(std::string_view text, Budget &budget,
                  bool *startRemoved = nullptr) const;

private:
  struct Step {
    std::function<std::string(std::string_view text, Budget &budget,
                              GrowingText &grown)>
        run;
    /// Starts each message.
    std::string where;
    /// Whether the step takes out the first character, where it can.
    std::function<bool(std::string_view text, Budget &budget)> removesStart;
  };
  class Reader;

  std::vector<Step> steps;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_TEXTNORMALIZER_H
