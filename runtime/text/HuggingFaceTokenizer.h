// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers that a tokenizer.json describes.

#ifndef HEDDLE_TEXT_HUGGINGFACETOKENIZER_H
#define HEDDLE_TEXT_HUGGINGFACETOKENIZER_H

#include "runtime/text/AddedTokens.h"
#include "runtime/text/BytePairEncoding.h"
#include "runtime/text/PreTokenizer.h"
#include "runtime/text/TextNormalizer.h"
#include "runtime/text/TokenDecoder.h"
#include "runtime/text/Tokenizer.h"
#include "runtime/text/TokenizerConfig.h"

namespace heddle::text {

/// Gives the ids and text of Hugging Face tokenizers 0.22, with the ids around
/// a text that transformers 4 adds:
///
///   encode: added tokens -> normalizer -> added tokens of normalized text
///           -> pre-tokenizer -> byte pair encoding -> template
///   decode: ids -> tokens, without the special ones -> decoder
///
/// Truncation and padding, which are of batches, are not applied. A text stands
/// for itself: templates for pairs are not read.
class HuggingFaceTokenizer : public Tokenizer {
public:
  static std::unique_ptr<Tokenizer> fromFiles(const FileSet &files);

  std::vector<int32_t> encode(std::string_view text,
                              bool addSpecial) const override;
  std::string decode(const std::vector<int32_t> &ids) const override;
  bool isOmitted(int32_t id) const override;
  int32_t vocabularySize() const override;
  std::optional<int32_t> idOf(const std::string &token) const override;

private:
  /// A part of what a text's ids become: special ids, or all ids so far.
  struct TemplatePart {
    bool isText;
    std::vector<int32_t> ids;
  };
  struct Template {
    std::vector<TemplatePart> parts;
    /// Starts each message.
    std::string where;
  };

  HuggingFaceTokenizer() = default;
  void read(const Json &file, const std::string &path, const FileSet &files);
  void readClass(const ClassTemplate &ofClass, const std::string &path);
  void readPostProcessor(const Json *value, const std::string &where);
  void readTemplate(const Json &object, const std::string &where);
  void applyTemplates(std::vector<int32_t> &ids, bool addSpecial,
                      const Budget &budget) const;

  AddedTokens addedTokens;
  TextNormalizer normalizer;
  PreTokenizer preTokenizer;
  BytePairEncoding model;
  /// Applied one after the other.
  std::vector<Template> templates;
  TokenDecoder decoder;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_HUGGINGFACETOKENIZER_H
