// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/LlamaTensors.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace heddle;

//===-- what the model reads ----------------------------------------------===//

std::vector<ExpectedTensor> heddle::llamaTensors(const LlamaConfig &config) {
  const LlamaConfig &c = config;
  int64_t queries = c.heads * c.headDim, keys = c.kvHeads * c.headDim;
  std::vector<ExpectedTensor> list;
  auto add = [&](const Twine &name, std::initializer_list<int64_t> shape) {
    list.push_back({name.str(), SmallVector<int64_t>(shape)});
  };
  auto addLinear = [&](const Twine &name, int64_t rows, int64_t columns,
                       bool bias) {
    std::string prefix = name.str();
    add(prefix + ".weight", {rows, columns});
    if (bias)
      add(prefix + ".bias", {rows});
  };
  add(kEmbeddingTensor, {c.vocabularySize, c.hiddenSize});
  for (int64_t i = 0; i < c.layers; ++i) {
    std::string layer = formatv("model.layers.{0}.", i);
    add(layer + "input_layernorm.weight", {c.hiddenSize});
    addLinear(layer + "self_attn.q_proj", queries, c.hiddenSize,
              c.attentionBias);
    addLinear(layer + "self_attn.k_proj", keys, c.hiddenSize, c.attentionBias);
    addLinear(layer + "self_attn.v_proj", keys, c.hiddenSize, c.attentionBias);
    addLinear(layer + "self_attn.o_proj", c.hiddenSize, queries,
              c.attentionBias);
    add(layer + "post_attention_layernorm.weight", {c.hiddenSize});
    addLinear(layer + "mlp.gate_proj", c.intermediateSize, c.hiddenSize,
              c.mlpBias);
    addLinear(layer + "mlp.up_proj", c.intermediateSize, c.hiddenSize,
              c.mlpBias);
    addLinear(layer + "mlp.down_proj", c.hiddenSize, c.intermediateSize,
              c.mlpBias);
  }
  add("model.norm.weight", {c.hiddenSize});
  if (!c.tieWordEmbeddings)
    add(kHeadTensor, {c.vocabularySize, c.hiddenSize});
  return list;
}

//===-- what the checkpoint holds -----------------------------------------===//

static Error makeError(StringRef file, StringRef tensor, const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           file + ": tensor '" + tensor + "': " + message);
}

static std::string describe(ArrayRef<int64_t> shape) {
  return formatv("[{0:$[, ]}]", make_range(shape.begin(), shape.end()));
}

static Error checkTensor(const ExpectedTensor &expected,
                         const TensorSource &tensors) {
  const TensorEntry *entry = tensors.find(expected.name);
  if (!entry)
    return makeError(tensors.path(), expected.name,
                     "expected shape " + describe(expected.shape) +
                         ", found no such tensor" +
                         (expected.name == kHeadTensor
                              ? " ('tie_word_embeddings' is false)"
                              : ""));
  if (entry->shape != expected.shape)
    return makeError(entry->file, entry->name,
                     "expected shape " + describe(expected.shape) + ", found " +
                         describe(entry->shape));
  if (entry->type != HEDDLE_TYPE_F32 && entry->type != HEDDLE_TYPE_BF16 &&
      entry->type != HEDDLE_TYPE_F16)
    return makeError(entry->file, entry->name,
                     "expected one of the types F32, BF16, F16, found " +
                         entry->dtype);
  return Error::success();
}

/// Files of tied models may hold the shared matrix twice.
static Error checkTiedHead(const TensorEntry &head,
                           const TensorSource &tensors) {
  const TensorEntry &embedding = *tensors.find(kEmbeddingTensor);
  auto differs = [&](const Twine &how) {
    return makeError(head.file, head.name,
                     "expected the same as '" + kEmbeddingTensor +
                         "' because 'tie_word_embeddings' is true, found " +
                         how);
  };
  if (head.shape != embedding.shape)
    return differs("shape " + describe(head.shape) + " instead of " +
                   describe(embedding.shape));
  if (head.dtype != embedding.dtype)
    return differs("type " + head.dtype + " instead of " + embedding.dtype);
  if (head.data != embedding.data)
    return differs("other values");
  return Error::success();
}

/// Buffers that old versions of transformers stored with the weights. They hold
/// the rotary frequencies, which follow from the configuration.
static bool isRotaryBuffer(StringRef name) {
  return name.starts_with("model.") && name.ends_with(".rotary_emb.inv_freq");
}

Error heddle::checkLlamaTensors(const LlamaConfig &config,
                                const TensorSource &tensors) {
  StringSet<> known;
  // The configuration may claim any number of layers. Each needs tensors, so
  // that of more layers than tensors the first ones already lack some.
  LlamaConfig bounded = config;
  bounded.layers =
      std::min<int64_t>(config.layers, tensors.tensors().size() + 1);
  for (const ExpectedTensor &expected : llamaTensors(bounded)) {
    if (Error error = checkTensor(expected, tensors))
      return error;
    known.insert(expected.name);
  }
  for (const TensorEntry &entry : tensors.tensors()) {
    if (known.contains(entry.name) || isRotaryBuffer(entry.name))
      continue;
    if (entry.name == kHeadTensor) { // unknown, hence tied
      if (Error error = checkTiedHead(entry, tensors))
        return error;
      continue;
    }
    return makeError(entry.file, entry.name,
                     "expected only tensors that the model reads, found one "
                     "that it does not, of shape " +
                         describe(entry.shape));
  }
  return Error::success();
}
