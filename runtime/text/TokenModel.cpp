// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TokenModel.h"

#include "runtime/text/BytePairEncoding.h"
#include "runtime/text/Unigram.h"
#include "runtime/text/WordPiece.h"

using namespace heddle::text;

TokenModel::~TokenModel() = default;

std::unique_ptr<TokenModel> TokenModel::fromJson(const Json &model,
                                                 const std::string &where) {
  Fields fields(model, where);
  // The first tokenizer.json files had no type.
  std::string type = fields.text("type", "BPE");
  if (type == "BPE")
    return std::make_unique<BytePairEncoding>(model, where);
  if (type == "WordPiece")
    return std::make_unique<WordPiece>(model, where);
  if (type == "Unigram")
    return std::make_unique<Unigram>(model, where);
  fields.fail("type", "BPE, WordPiece or Unigram");
}
