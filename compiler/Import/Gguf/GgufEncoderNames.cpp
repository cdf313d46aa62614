// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names are those of gguf-py's constants.py.

#include "compiler/Import/Gguf/GgufNames.h"

#include "compiler/Import/Gguf/GgufTensorNames.h"

using namespace llvm;
using namespace heddle;

static void nameFeedForward(const GgufTensorNames &names,
                            FeedForwardDescription &f) {
  f.gate = names.projection("ffn_gate");
  f.up = names.projection("ffn_up");
  f.down = names.projection("ffn_down");
  if (f.fused)
    f.fused = f.up;
}

void heddle::nameAsGguf(EncoderDescription &e, const TensorSource &tensors) {
  e.prefixes = {""};
  e.layerPrefix = "blk.#.";
  e.ignoredBuffers = {};
  e.ignoredPrefixes = {};
  GgufTensorNames names(e, tensors);
  e.embedding = "token_embd";
  e.embeddingNorm = "token_embd_norm";
  e.embeddingNormKind.mayBeGamma = e.block.norm.mayBeGamma = false;
  if (e.positions)
    e.positions = PositionsDescription{"position_embd"};
  if (!names.hasTensor("token_types.weight"))
    e.types.reset();
  if (e.types)
    e.types->name = "token_types";
  if (!e.finalNorm.empty())
    e.finalNorm = "output_norm";
  AttentionDescription &a = e.block.attention;
  a.query = names.projection("attn_q");
  a.key = names.projection("attn_k");
  a.value = names.projection("attn_v");
  a.output = names.projection("attn_output");
  a.fused.reset();
  if (names.inLayer("attn_qkv.weight"))
    a.fused = names.projection("attn_qkv");
  bool isPost = e.block.order == BlockOrder::Post;
  e.block.attentionNorm = isPost ? "attn_output_norm" : "attn_norm";
  e.block.feedForwardNorm = isPost ? "layer_output_norm" : "ffn_norm";
  nameFeedForward(names, e.block.feedForward);
}

// One of the two stacks of layers, "enc" or "dec".
static GgufTensorNames nameStack(TransformerDescription &t, StringRef part,
                                 const TensorSource &tensors) {
  t.prefixes = {""};
  t.layerPrefix = (part + ".blk.#.").str();
  t.embedding = "token_embd";
  t.finalNorm = (part + ".output_norm").str();
  GgufTensorNames names(t, tensors);
  AttentionDescription &a = t.block.attention;
  a.query = names.projection("attn_q");
  a.key = names.projection("attn_k");
  a.value = names.projection("attn_v");
  a.output = names.projection("attn_o");
  a.relativeBias->table = (part + ".blk.0.attn_rel_b").str();
  t.block.attentionNorm = "attn_norm";
  t.block.feedForwardNorm = "ffn_norm";
  nameFeedForward(names, t.block.feedForward);
  return names;
}

void heddle::nameAsGguf(EncoderDecoderDescription &model,
                        const TensorSource &tensors) {
  nameStack(model.encoder, "enc", tensors);
  DecoderDescription &d = model.decoder;
  GgufTensorNames names = nameStack(d, "dec", tensors);
  CrossAttentionDescription &cross = *d.block.cross;
  cross.query = names.projection("cross_attn_q");
  cross.key = names.projection("cross_attn_k");
  cross.value = names.projection("cross_attn_v");
  cross.output = names.projection("cross_attn_o");
  cross.norm = "cross_attn_norm";
  d.head = {"output", names.hasTensor("output.bias")};
  model.embeddingCopies = {};
  // A table that the first version had, and nothing reads.
  d.ignoredBuffers = {"cross_attn_rel_b.weight"};
}
