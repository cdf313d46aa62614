// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ids end an answer.

#ifndef HEDDLE_TEXT_ENDIDS_H
#define HEDDLE_TEXT_ENDIDS_H

#include "runtime/text/Tokenizer.h"

namespace heddle::text {

/// `eos_token_id` of generation_config.json, an id or a list of ids. Where that
/// is silent, that of config.json, and where that is, too, `eos_token` as
/// readTokenizerConfig (TokenizerConfig.h) has it.
std::vector<int32_t> readEndIds(const FileSet &files,
                                const Tokenizer &tokenizer);

} // namespace heddle::text

#endif // HEDDLE_TEXT_ENDIDS_H
