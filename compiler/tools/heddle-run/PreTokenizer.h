// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The second step of tokenization: cuts text into the pieces that byte pair
// encoding never merges across.

#ifndef HEDDLE_TOOLS_PRETOKENIZER_H
#define HEDDLE_TOOLS_PRETOKENIZER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// The "pre_tokenizer" of a tokenizer.json. Immutable.
class PreTokenizer {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static llvm::Expected<PreTokenizer> fromJson(const llvm::json::Value *value,
                                               const std::string &where);

  /// The pieces of `text`, none of them empty. `atStart` says whether `text`
  /// begins where the whole text does, rather than behind an added token.
  llvm::Expected<std::vector<std::string>> run(llvm::StringRef text,
                                               bool atStart) const;

private:
  /// Cuts one piece into more; empty ones are dropped.
  using Step = std::function<llvm::Expected<std::vector<std::string>>(
      llvm::StringRef piece, bool atStart)>;
  std::vector<Step> steps;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PRETOKENIZER_H
