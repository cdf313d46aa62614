// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last step of decoding: joins the tokens to text.

#ifndef HEDDLE_TEXT_TOKENDECODER_H
#define HEDDLE_TEXT_TOKENDECODER_H

#include "runtime/text/Budget.h"
#include "runtime/text/Json.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::text {

/// The "decoder" of a tokenizer.json. Immutable.
class TokenDecoder {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static TokenDecoder fromJson(const Json *value, const std::string &where);

  std::string run(std::vector<std::string> tokens) const;

private:
  using Step = std::function<std::vector<std::string>(
      std::vector<std::string> tokens, Budget &budget)>;
  std::vector<Step> steps;
  /// Put between tokens at the end.
  std::string separator;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_TOKENDECODER_H
