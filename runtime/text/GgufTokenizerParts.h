// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of a tokenizer.json that GGUF files of all kinds become.

#ifndef HEDDLE_TEXT_GGUFTOKENIZERPARTS_H
#define HEDDLE_TEXT_GGUFTOKENIZERPARTS_H

#include "runtime/text/GgufVocabulary.h"

namespace heddle::text {

/// Stands for a space in tokens of SentencePiece.
inline constexpr const char *kSpace = "\u2581";

Json replace(const char *from, const char *to);
/// A component of several, whose field `list` has them.
Json sequence(const char *list, Json parts);

/// The mark that a second text begins with.
enum class SecondText { Start, Separator, Nothing };

/// Tokens around texts, and what a second text begins with.
struct Marks {
  std::optional<std::string> start, end, second;
};

/// The post-processor that puts marks around one text, or two.
Json around(const Marks &marks, const GgufVocabulary &vocabulary);
/// The token between two texts, if the file has one.
std::optional<std::string> separatorOf(const GgufVocabulary &vocabulary);
/// Marks of tokenizers that have a start and an end, if flags or defaults say
/// so.
Marks readMarks(const GgufVocabulary &vocabulary, bool startsByDefault,
                bool endsByDefault, SecondText second);
/// A tokenizer.json without a model.
Json plainFile(const GgufVocabulary &vocabulary, bool stripsRight);

/// The tokenizer.json of T5's and XLM-RoBERTa's kind.
Json readUnigram(const GgufVocabulary &vocabulary, SecondText second);

} // namespace heddle::text

#endif // HEDDLE_TEXT_GGUFTOKENIZERPARTS_H
