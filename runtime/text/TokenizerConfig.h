// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the configuration beside a tokenizer's file says about the ids of a
// text.

#ifndef HEDDLE_TEXT_TOKENIZERCONFIG_H
#define HEDDLE_TEXT_TOKENIZERCONFIG_H

#include "runtime/text/Json.h"

#include <optional>
#include <string>

namespace heddle::text {

class FileSet;

/// tokenizer_config.json; empty where there is none. `bos_token` and
/// `eos_token` are those of special_tokens_map.json where the file is of a time
/// before `added_tokens_decoder`, as in transformers 4.
Json readTokenizerConfig(const FileSet &files);

/// How texts are cut, where they are.
struct TruncationConfig {
  /// 0 where no file tells.
  int64_t maximumLength = 0;
  bool atBegin = false;
};

/// What `model_max_length` and `truncation_side` of tokenizer_config.json
/// change of `config`.
void readTruncation(const FileSet &files, TruncationConfig &config);

/// The text of a special token, which is written as that or as an object with
/// "content"; null where it is neither.
const std::string *specialTokenText(const Json &token);

/// The tokens that a class of tokenizers puts around a text.
struct ClassTemplate {
  std::optional<std::string> start;
  std::optional<std::string> end;
};

/// The class's tokens, which replace tokenizer.json's post_processor:
/// transformers 4 has classes (`tokenizer_class` of tokenizer_config.json) that
/// go by `add_bos_token` and `add_eos_token` instead, with true and false for
/// fields that are absent. None for other classes.
std::optional<ClassTemplate> classTemplate(const FileSet &files);

} // namespace heddle::text

#endif // HEDDLE_TEXT_TOKENIZERCONFIG_H
