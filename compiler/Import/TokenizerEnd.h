// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_IMPORT_TOKENIZEREND_H
#define HEDDLE_COMPILER_IMPORT_TOKENIZEREND_H

#include "llvm/Support/Error.h"

#include <optional>

namespace heddle {

/// The id, below `vocabularySize`, of `eos_token` in tokenizer_config.json: of
/// its added_tokens_decoder, or of the added tokens and the vocabulary of
/// tokenizer.json. Nothing where a file or the token is missing.
llvm::Expected<std::optional<int64_t>> readTokenizerEnd(llvm::StringRef folder,
                                                        int64_t vocabularySize);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_TOKENIZEREND_H
