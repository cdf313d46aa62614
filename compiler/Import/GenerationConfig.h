// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The `generation_config.json` of a Hugging Face folder: how its publisher
// wants sequences to be continued. Names, defaults and meaning are those of
// transformers' GenerationConfig (generation/configuration_utils.py).

#ifndef HEDDLE_COMPILER_IMPORT_GENERATIONCONFIG_H
#define HEDDLE_COMPILER_IMPORT_GENERATIONCONFIG_H

#include "dialect/Heddle/GenerationDefaults.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace heddle {

/// The input that a model answers: prompts, which it continues, or the texts or
/// recordings that its encoder reads.
enum class ModelAnswers { Prompts, Texts, Recordings };

struct GenerationConfig {
  /// Token ids below the vocabulary's size that end an answer; none where the
  /// file leaves that to `config.json`.
  std::optional<llvm::SmallVector<int64_t>> eosTokens;
  /// The id that answers of an encoder-decoder begin with, likewise.
  std::optional<int64_t> decoderStart;
  GenerationDefaults defaults;
  /// Ids that are suppressed unless they end answers.
  llvm::SmallVector<int64_t> badWords;
};

/// Reads `generation_config.json` of `folder`, or, where there is none, what
/// `config.json` says of answers, as older folders do. Every field is honoured,
/// known to leave answers alone, or rejected by name.
///
/// - Without `do_sample` the likeliest id is taken. What the file says of
///   top_k, top_p and min_p then holds for whoever asks for a temperature.
/// - With it, temperature is 1 and top_k is 50 where the file has none.
/// - `num_beams` asks for a search, of which early_stopping false means
///   "never": transformers' own rule between that and true is a heuristic.
/// - The ids that an answer of Whisper's begins with are the program's, which
///   knows its language and task.
llvm::Expected<GenerationConfig>
readGenerationConfig(llvm::StringRef folder, int64_t vocabularySize,
                     ModelAnswers answers = ModelAnswers::Prompts);

/// The same from the file's text; `file` names it in errors.
llvm::Expected<GenerationConfig>
parseGenerationConfig(llvm::StringRef text, llvm::StringRef file,
                      int64_t vocabularySize,
                      ModelAnswers answers = ModelAnswers::Prompts);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GENERATIONCONFIG_H
