// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// SentencePiece's own segmentation as the model of a tokenizer.

#ifndef HEDDLE_TEXT_SENTENCEPIECEMODEL_H
#define HEDDLE_TEXT_SENTENCEPIECEMODEL_H

#include "runtime/text/TokenModel.h"

#include <sentencepiece_processor.h>

namespace heddle::text {

class FileSet;

/// The normalization and the pieces of a SentencePiece model, with the ids of a
/// vocabulary.
class SentencePieceModel : public TokenModel {
public:
  using Processor = sentencepiece::SentencePieceProcessor;

  static std::unique_ptr<Processor> readProcessor(const FileSet &files,
                                                  const char *name);

  /// Pieces that are not in the vocabulary have `unknownId`. `hasLanguage` says
  /// whether texts may begin with a token such as ">>fra<<", which is no text.
  SentencePieceModel(std::unique_ptr<Processor> processor,
                     Vocabulary vocabulary, int32_t unknownId,
                     bool hasLanguage);

  void encode(std::string_view text, std::vector<int32_t> &ids,
              Budget &budget) const override;

private:
  std::unique_ptr<const Processor> processor;
  int32_t unknownId;
  bool hasLanguage;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_SENTENCEPIECEMODEL_H
