// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers that a tokenizer.json describes.

#ifndef HEDDLE_TOOLS_HUGGINGFACETOKENIZER_H
#define HEDDLE_TOOLS_HUGGINGFACETOKENIZER_H

#include "compiler/tools/heddle-run/AddedTokens.h"
#include "compiler/tools/heddle-run/BytePairEncoding.h"
#include "compiler/tools/heddle-run/PreTokenizer.h"
#include "compiler/tools/heddle-run/TextNormalizer.h"
#include "compiler/tools/heddle-run/TokenDecoder.h"
#include "compiler/tools/heddle-run/Tokenizer.h"

namespace heddle {

/// Gives the ids and text of Hugging Face tokenizers 0.23:
///
///   encode: added tokens -> normalizer -> added tokens (those that are found
///   in
///           normalized text) -> pre-tokenizer -> byte pair encoding ->
///           template
///   decode: ids -> tokens, without the special ones -> decoder
///
/// Truncation, padding and pairs of texts are not implemented.
class HuggingFaceTokenizer : public Tokenizer {
public:
  static llvm::Expected<std::unique_ptr<Tokenizer>>
  fromFile(llvm::StringRef path);

  llvm::Expected<std::vector<int32_t>> encode(llvm::StringRef text,
                                              bool addSpecial) const override;
  llvm::Expected<std::string>
  decode(llvm::ArrayRef<int32_t> ids) const override;
  bool isOmitted(int32_t id) const override;
  int32_t vocabularySize() const override;

private:
  /// A part of what a text's ids become: special ids, or all ids so far.
  struct TemplatePart {
    bool isText;
    std::vector<int32_t> ids;
  };
  using Template = std::vector<TemplatePart>;

  HuggingFaceTokenizer() = default;
  llvm::Error read(const llvm::json::Object &file, const std::string &path);
  llvm::Error readPostProcessor(const llvm::json::Value *value,
                                const std::string &where);
  llvm::Error readTemplate(const llvm::json::Object &object,
                           const std::string &where);
  llvm::Error encodePiece(llvm::StringRef text, bool atStart,
                          std::vector<int32_t> &ids) const;

  AddedTokens addedTokens;
  TextNormalizer normalizer;
  PreTokenizer preTokenizer;
  BytePairEncoding model;
  /// Applied one after the other.
  std::vector<Template> templates;
  TokenDecoder decoder;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_HUGGINGFACETOKENIZER_H
