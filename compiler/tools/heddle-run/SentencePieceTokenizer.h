// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers that a tokenizer.model describes.

#ifndef HEDDLE_TOOLS_SENTENCEPIECETOKENIZER_H
#define HEDDLE_TOOLS_SENTENCEPIECETOKENIZER_H

#include "compiler/tools/heddle-run/Tokenizer.h"

namespace heddle {

/// Reads `folder`/tokenizer.model, a SentencePiece model of any type, and what
/// `folder`/tokenizer_config.json and added_tokens.json, where they exist, say
/// about start and end tokens.
///
/// Ids and text are those of the SentencePiece library: unlike in a
/// tokenizer.json, control tokens that are written out in a text are text.
llvm::Expected<std::unique_ptr<Tokenizer>>
loadSentencePiece(llvm::StringRef folder);

} // namespace heddle

#endif // HEDDLE_TOOLS_SENTENCEPIECETOKENIZER_H
