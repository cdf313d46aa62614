// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers that a tokenizer.model describes.

#ifndef HEDDLE_TEXT_SENTENCEPIECETOKENIZER_H
#define HEDDLE_TEXT_SENTENCEPIECETOKENIZER_H

#include "runtime/text/Tokenizer.h"

namespace heddle::text {

/// Reads tokenizer.model, a SentencePiece model of any type, and what
/// tokenizer_config.json, special_tokens_map.json and added_tokens.json say
/// about start and end tokens.
///
/// Ids and text are those of the SentencePiece library: unlike in a
/// tokenizer.json, control tokens that are written out in a text are text.
std::unique_ptr<Tokenizer> loadSentencePiece(const FileSet &files);

} // namespace heddle::text

#endif // HEDDLE_TEXT_SENTENCEPIECETOKENIZER_H
