// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers as the command line names them.

#ifndef HEDDLE_TOOLS_TOKENIZERS_H
#define HEDDLE_TOOLS_TOKENIZERS_H

#include "runtime/text/heddle_text.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace heddle {

struct CloseTokenizer {
  void operator()(heddle_tokenizer *tokenizer) const {
    heddle_tokenizer_close(tokenizer);
  }
};
using TokenizerHandle = std::unique_ptr<heddle_tokenizer, CloseTokenizer>;

/// That of the folder which the option names; null where it is not given.
llvm::Expected<TokenizerHandle>
openTokenizer(const llvm::cl::opt<std::string> &folder);

/// The ids of a text, with those that the tokenizer puts around texts where
/// `addSpecial` says so.
llvm::Expected<std::vector<int32_t>> encode(const heddle_tokenizer &tokenizer,
                                            llvm::StringRef text,
                                            bool addSpecial);

} // namespace heddle

#endif // HEDDLE_TOOLS_TOKENIZERS_H
