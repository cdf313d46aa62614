// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first step of tokenization: rewrites text, for example to one of the
// Unicode normal forms.

#ifndef HEDDLE_TOOLS_TEXTNORMALIZER_H
#define HEDDLE_TOOLS_TEXTNORMALIZER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// The "normalizer" of a tokenizer.json. Immutable.
class TextNormalizer {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static llvm::Expected<TextNormalizer> fromJson(const llvm::json::Value *value,
                                                 const std::string &where);

  llvm::Expected<std::string> run(llvm::StringRef text) const;

private:
  using Step = std::function<llvm::Expected<std::string>(llvm::StringRef text)>;
  std::vector<Step> steps;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_TEXTNORMALIZER_H
