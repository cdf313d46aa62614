// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last step of decoding: joins the tokens to text.

#ifndef HEDDLE_TOOLS_TOKENDECODER_H
#define HEDDLE_TOOLS_TOKENDECODER_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// The "decoder" of a tokenizer.json. Immutable.
class TokenDecoder {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static llvm::Expected<TokenDecoder> fromJson(const llvm::json::Value *value,
                                               const std::string &where);

  llvm::Expected<std::string> run(std::vector<std::string> tokens) const;

private:
  using Step = std::function<llvm::Expected<std::vector<std::string>>(
      std::vector<std::string> tokens)>;
  std::vector<Step> steps;
  /// Put between tokens at the end.
  std::string separator;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_TOKENDECODER_H
