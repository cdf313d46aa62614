// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers that a tokenizer.json describes.

#ifndef HEDDLE_TEXT_HUGGINGFACETOKENIZER_H
#define HEDDLE_TEXT_HUGGINGFACETOKENIZER_H

#include "runtime/text/AddedTokens.h"
#include "runtime/text/PreTokenizer.h"
#include "runtime/text/TextNormalizer.h"
#include "runtime/text/TokenDecoder.h"
#include "runtime/text/TokenModel.h"
#include "runtime/text/Tokenizer.h"

namespace heddle::text {

/// A tokenizer that no tokenizer.json describes.
struct TokenizerParts {
  std::unique_ptr<const TokenModel> model;
  /// An object with what a tokenizer.json has beside the model and the
  /// post-processor.
  Json steps;
  /// Starts each message.
  std::string path;
  PostProcessor postProcessor;
};

/// Gives the ids and text of Hugging Face tokenizers 0.22, with the ids around
/// a text that transformers 4 adds:
///
///   encode: added tokens -> normalizer -> added tokens of normalized text
///           -> pre-tokenizer -> model -> truncation -> post-processor
///   decode: ids -> tokens, without the special ones -> decoder
///
/// Padding, which is of batches, is not applied, and truncation where a caller
/// asks for it.
class HuggingFaceTokenizer : public Tokenizer {
public:
  static std::unique_ptr<Tokenizer> fromFiles(const FileSet &files);
  static std::unique_ptr<Tokenizer> fromParts(TokenizerParts parts);

  std::string decode(const std::vector<int32_t> &ids) const override;
  bool isOmitted(int32_t id) const override;
  int32_t vocabularySize() const override;
  std::optional<int32_t> idOf(const std::string &token) const override;

private:
  HuggingFaceTokenizer() = default;
  void readSteps(const Json &file, const std::string &path);
  void read(const Json &file, const std::string &path, const FileSet &files);
  PostProcessor readClass(const ClassTemplate &ofClass,
                          const std::string &path) const;
  std::vector<int32_t> idsOf(std::string_view text) const override;

  AddedTokens addedTokens;
  TextNormalizer normalizer;
  PreTokenizer preTokenizer;
  std::unique_ptr<const TokenModel> model;
  TokenDecoder decoder;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_HUGGINGFACETOKENIZER_H
