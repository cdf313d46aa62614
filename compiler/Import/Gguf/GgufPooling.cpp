// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Gguf/GgufPooling.h"

#include "compiler/Import/Families/EncoderHeads.h"

using namespace llvm;
using namespace heddle;

// tanh(W x + b) of the first token, and a score for each label.
static Error setScores(EncoderDescription &encoder, const TensorSource &tensors,
                       StringRef path) {
  // ModernBERT's has other layers, which llama.cpp gives the mean of all
  // tokens.
  if (encoder.block.order != BlockOrder::Post)
    return createStringError(path +
                             ": key 'modern-bert.pooling_type': expected "
                             "0 to 3 (nothing else is supported), found "
                             "4, which ranks");
  for (StringRef name : {"cls.weight", "cls.output.weight"})
    if (const TensorEntry *tensor = tensors.find(name);
        !tensor || tensor->shape.size() != 2)
      return createStringError(
          path + ": tensor '" + name +
          "': expected a matrix, as pooling_type is 4, which ranks, found " +
          (tensor ? Twine(tensor->shape.size()) + " dimensions"
                  : Twine("no such tensor")));
  int64_t labels = tensors.find("cls.output.weight")->shape[0];
  auto hasBias = [&](const char *name) { return tensors.find(name); };
  encoder.results = {
      {"logits",
       ArgumentRole::Logits,
       {{firstToken(),
         outsideLinear("cls", encoder.hiddenSize, hasBias("cls.bias")),
         ActivationStage{ActivationKind::Tanh},
         outsideLinear("cls.output", labels, hasBias("cls.output.bias"))}},
       ""}};
  return Error::success();
}

Error heddle::setPooling(EncoderDescription &encoder, GgufPooling pooling,
                         const TensorSource &tensors, StringRef path) {
  PoolStage stage;
  switch (pooling) {
  case GgufPooling::None:
    encoder.results.clear();
    return Error::success();
  case GgufPooling::Rank:
    return setScores(encoder, tensors, path);
  case GgufPooling::Mean:
    stage.kinds = {PoolingKind::Mean};
    break;
  case GgufPooling::First:
    stage.kinds = {PoolingKind::Token};
    break;
  case GgufPooling::Last:
    stage.kinds = {PoolingKind::Last};
    break;
  }
  encoder.results = {
      {"embedding", ArgumentRole::Embedding, {{std::move(stage)}}, ""}};
  return Error::success();
}
