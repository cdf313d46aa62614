// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The second step of tokenization: cuts text into the pieces that tokens
// never reach across.

#ifndef HEDDLE_TEXT_PRETOKENIZER_H
#define HEDDLE_TEXT_PRETOKENIZER_H

#include "runtime/text/Budget.h"
#include "runtime/text/Json.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

/// The "pre_tokenizer" of a tokenizer.json. Immutable.
class PreTokenizer {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static PreTokenizer fromJson(const Json *value, const std::string &where);

  /// The pieces of `text`, none of them empty. `atStart` says whether `text`
  /// begins where the whole text does, rather than behind an added token.
  std::vector<std::string> run(std::string_view text, bool atStart,
                               Budget &budget) const;

private:
  struct Step {
    /// Cuts one piece into more; empty ones are dropped.
    std::function<std::vector<std::string>(std::string_view piece, bool atStart,
                                           Budget &budget)>
        run;
    /// Starts each message.
    std::string where;
  };
  std::vector<Step> steps;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_PRETOKENIZER_H
