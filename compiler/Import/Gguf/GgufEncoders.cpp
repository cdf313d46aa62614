// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Gguf/GgufArchitectures.h"

using namespace llvm;
using namespace heddle;

// Heads that share all channels.
static void checkHeads(GgufConfigWriter &w) {
  int64_t channels = w.hidden / std::max<int64_t>(w.heads, 1);
  for (auto [key, expected] : {std::pair("attention.head_count_kv", w.heads),
                               std::pair("attention.key_length", channels),
                               std::pair("attention.value_length", channels)})
    if (auto found = w.integer(key); found && *found != expected)
      w.fail(key, Twine(expected), Twine(*found));
}

void heddle::writeBert(GgufConfigWriter &w) {
  w.writeSizes({});
  checkHeads(w);
  w.checkCausal(false);
  w.ask("rope.dimension_count"); // nothing rotates
  w.fields.erase("tie_word_embeddings");
  w.fields["type_vocab_size"] = w.rowsOf("token_types.weight").value_or(1);
  w.writePooling();
}

void heddle::writeModernBert(GgufConfigWriter &w) {
  GgufConfigWriter::SizeFields names;
  names.epsilon = "norm_eps";
  w.writeSizes(names);
  w.writeEpsilon("norm_eps");
  checkHeads(w);
  w.checkCausal(false);
  if (auto rotated = w.integer("rope.dimension_count");
      rotated && *rotated != w.hidden / std::max<int64_t>(w.heads, 1))
    w.fail("rope.dimension_count", "all channels of a head", Twine(*rotated));
  w.fields.erase("tie_word_embeddings");
  w.fields["global_rope_theta"] = w.number("rope.freq_base").value_or(10000.0);
  w.fields["local_rope_theta"] =
      w.number("rope.freq_base_swa").value_or(10000.0);
  if (std::string kind = w.text("rope.scaling.type").value_or("none");
      kind != "none")
    w.fail("rope.scaling.type", "none", kind);
  w.fields["local_attention"] = w.required("attention.sliding_window");
  w.fields["global_attn_every_n_layers"] =
      w.integer("attention.sliding_window_pattern").value_or(3);
  w.writePooling();
}

void heddle::writeT5(GgufConfigWriter &w) {
  GgufConfigWriter::SizeFields names;
  names.hidden = "d_model";
  names.layers = "num_layers";
  names.heads = "num_heads";
  names.positions = "n_positions";
  names.inner = "d_ff";
  names.epsilon = "layer_norm_epsilon";
  w.writeSizes(names);
  w.writeEpsilon("layer_norm_epsilon");
  w.writeHeads("kv_heads", "d_kv");
  if (auto found = w.fields.getInteger("kv_heads"); *found != w.heads)
    w.fail("attention.head_count_kv", Twine(w.heads), Twine(*found));
  w.fields.erase("kv_heads");
  w.fields["num_decoder_layers"] =
      w.integer("decoder_block_count").value_or(w.layers);
  w.fields["relative_attention_num_buckets"] =
      w.required("attention.relative_buckets_count");
  w.fields["decoder_start_token_id"] = w.required("decoder_start_token_id");
  // llama.cpp has one activation for each.
  bool isGated = w.hasTensor("enc.blk.0.ffn_gate.weight");
  w.fields["feed_forward_proj"] = isGated ? "gated-gelu" : "relu";
  // The first version, which has no gates, scales the logits of a tied head,
  // which some files repeat.
  if (!isGated && !w.hasComparableHead())
    w.failTensor("output.weight",
                 "the type of token_embd.weight, to tell whether it is a copy");
}
