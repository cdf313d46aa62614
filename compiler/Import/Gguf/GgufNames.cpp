// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names are those of gguf-py's constants.py, for all architectures.

#include "compiler/Import/Gguf/GgufNames.h"

#include "compiler/Import/Gguf/GgufTensorNames.h"

using namespace llvm;
using namespace heddle;

namespace {
class Names : GgufTensorNames {
public:
  Names(DecoderDescription &decoder, const TensorSource &tensors)
      : GgufTensorNames(decoder, tensors), d(decoder) {}

  void write() {
    d.prefixes = {""};
    d.layerPrefix = "blk.#.";
    d.embedding = "token_embd";
    if (d.positions)
      d.positions->name = "position_embd";
    d.finalNorm = "output_norm";
    setNorm(d.finalNormKind, hasTensor("output_norm.bias"));
    d.head = {"output", hasTensor("output.bias")};
    d.hasTransposedMatrices = false;
    // Divisors of the rotary frequencies are part of the configuration.
    d.ignoredBuffers = {};
    d.ignoredPrefixes = {"rope_freqs.", "rope_factors_"};
    setNorm(d.block.norm,
            inLayer("attn_norm.bias") || inLayer("post_attention_norm.bias"));
    nameNorms(d.block);
    nameAttention(d.block.attention);
    nameFeedForward(d.block.feedForward, "");
    for (LayerDescription &layer : d.layers)
      if (layer.experts)
        nameExperts(*layer.experts);
  }

private:
  // Gemma's weights are stored with the one that is added.
  static void setNorm(NormDescription &norm, bool hasBias) {
    norm.addsOne = false;
    norm.hasBias = hasBias;
  }

  void nameNorms(BlockDescription &block) {
    constexpr const char *afterAttention = "post_attention_norm";
    switch (block.order) {
    case BlockOrder::Branch:
      block.attentionNorm = afterAttention;
      block.feedForwardNorm = "post_ffw_norm";
      return;
    case BlockOrder::Sandwich:
      block.attentionPostNorm = afterAttention;
      block.feedForwardPostNorm = "post_ffw_norm";
      break;
    case BlockOrder::Parallel:
      // Falcon's two; the other one is that of attention.
      if (inLayer("attn_norm_2.weight")) {
        block.attentionNorm = "attn_norm_2";
        block.feedForwardNorm = "attn_norm";
        return;
      }
      block.attentionNorm = "attn_norm";
      if (!block.feedForwardNorm.empty())
        block.feedForwardNorm = "ffn_norm";
      return;
    case BlockOrder::Pre:
    case BlockOrder::Post:
      break;
    }
    block.attentionNorm = "attn_norm";
    // gpt-oss has it by its old name.
    block.feedForwardNorm =
        inLayer("ffn_norm.weight") ? "ffn_norm" : afterAttention;
  }

  void nameAttention(AttentionDescription &a) {
    a.query = projection("attn_q");
    a.key = projection("attn_k");
    a.value = projection("attn_v");
    a.output = projection("attn_output");
    a.fused.reset();
    if (inLayer("attn_qkv.weight"))
      a.fused = projection("attn_qkv");
    a.fusedOrder = FusedOrder::Rows;
    if (a.latent)
      nameLatent(*a.latent);
    if (!a.sinks.empty())
      a.sinks = "attn_sinks.weight";
    if (!a.headNorm)
      return;
    a.headNorm->query = "attn_q_norm";
    a.headNorm->key = "attn_k_norm";
    if (a.headNorm->kind == HeadNormKind::NamedHeads)
      a.headNorm->kind = HeadNormKind::OwnHeads;
    setNorm(a.headNorm->norm, inLayer("attn_q_norm.bias"));
  }

  void nameLatent(LatentDescription &l) {
    l.queryDown = projection("attn_q_a");
    l.queryNorm = "attn_q_a_norm";
    l.queryUp.name = "attn_q_b";
    l.down = projection("attn_kv_a_mqa");
    l.norm = "attn_kv_a_norm";
    l.up.name = "attn_kv_b";
    // In newer files the two parts of the matrix; some have it beside them.
    if (!inLayer("attn_k_b.weight"))
      return;
    l.upKeys = "attn_k_b";
    l.upValues = "attn_v_b";
    d.ignoredBuffers.push_back("attn_kv_b.weight");
  }

  void nameFeedForward(FeedForwardDescription &f, StringRef end) {
    f.gate = projection(("ffn_gate" + end).str());
    f.up = projection(("ffn_up" + end).str());
    f.down = projection(("ffn_down" + end).str());
    if (f.fused)
      f.fused = f.up;
  }

  void nameExperts(ExpertsDescription &e) {
    e.routing.router = projection("ffn_gate_inp");
    if (!e.routing.choiceBias.empty())
      e.routing.choiceBias = "exp_probs_b.bias";
    e.allGateUp = e.allDown = "";
    e.gate = "ffn_gate_exps";
    e.up = "ffn_up_exps";
    e.down = "ffn_down_exps";
    e.hasBiases = inLayer("ffn_gate_exps.bias");
    if (e.shared)
      nameFeedForward(*e.shared, "_shexp");
    if (!e.sharedGate.empty())
      e.sharedGate = "ffn_gate_inp_shexp";
  }

  DecoderDescription &d;
};
} // namespace

void heddle::nameAsGguf(DecoderDescription &decoder,
                        const TensorSource &tensors) {
  Names(decoder, tensors).write();
}
