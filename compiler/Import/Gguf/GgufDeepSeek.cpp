// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Gguf/GgufArchitectures.h"

using namespace llvm;
using namespace heddle;

// DeepSeek's latent attention. Files have keys and values expanded, or as all
// heads share them, and then say the sizes of the former, too ("mla").
static void writeLatentAttention(GgufConfigWriter &w) {
  int64_t rotated = w.required("rope.dimension_count");
  bool isShared = w.has("attention.key_length_mla");
  StringRef keysKey =
      isShared ? "attention.key_length_mla" : "attention.key_length";
  int64_t keys = w.required(keysKey);
  if (keys <= rotated)
    w.fail(keysKey, "more than rope.dimension_count, " + Twine(rotated),
           Twine(keys));
  w.fields["qk_nope_head_dim"] = keys - rotated;
  w.fields["qk_rope_head_dim"] = rotated;
  w.fields["v_head_dim"] = w.required(isShared ? "attention.value_length_mla"
                                               : "attention.value_length");
  for (StringRef key : {"attention.key_length", "attention.value_length",
                        "attention.head_count_kv", "attention.q_lora_rank"})
    w.ask(key);
  w.fields["num_key_value_heads"] = w.heads;
  w.fields["kv_lora_rank"] = w.required("attention.kv_lora_rank");
  w.fields["q_lora_rank"] = nullptr;
  if (w.hasInLayer("attn_q_a.weight"))
    w.fields["q_lora_rank"] = w.required("attention.q_lora_rank");
  w.headChannels = rotated;
  w.writeRotary();
  w.fields.erase("partial_rotary_factor");
  // A tenth of what transformers has, which has it twice.
  auto factor = w.number("rope.scaling.yarn_log_multiplier");
  json::Object *scaling = w.fields.getObject("rope_scaling");
  if (factor && *factor != 0 && scaling)
    for (StringRef field : {"mscale", "mscale_all_dim"})
      (*scaling)[field] = 10 * *factor;
}

void heddle::writeDeepSeek(GgufConfigWriter &w) {
  w.writeSizes({});
  w.checkCausal(true);
  writeLatentAttention(w);
  w.writeExperts("n_routed_experts", "moe_intermediate_size");
  w.fields["first_k_dense_replace"] =
      w.integer("leading_dense_block_count").value_or(0);
  w.fields["n_shared_experts"] = nullptr;
  if (auto shared = w.integer("expert_shared_count"); shared && *shared != 0)
    w.fields["n_shared_experts"] = *shared;
  // 0 stands for none.
  if (auto factor = w.number("expert_weights_scale"); factor && *factor != 0)
    w.fields["routed_scaling_factor"] = *factor;
  else
    w.fields["routed_scaling_factor"] = 1.0;
  bool isNormalized = w.boolean("expert_weights_norm").value_or(false);
  // Without groups there may be zeros.
  int64_t groups =
      std::max<int64_t>(w.integer("expert_group_count").value_or(1), 1);
  int64_t used = w.integer("expert_group_used_count").value_or(1);
  w.fields["n_group"] = groups;
  w.fields["topk_group"] = groups == 1 ? 1 : used;
  // llama.cpp's enum llama_expert_gating_func_type.
  constexpr int64_t kSoftmax = 1, kSigmoid = 2;
  int64_t scores = w.integer("expert_gating_func").value_or(kSoftmax);
  if (scores == kSigmoid) {
    w.fields["norm_topk_prob"] = isNormalized;
    w.fields["architectures"] = json::Array{"DeepseekV3ForCausalLM"};
    w.fields["model_type"] = "deepseek_v3";
    return;
  }
  if (scores != kSoftmax)
    w.fail("expert_gating_func", "1 (softmax) or 2 (sigmoid)", Twine(scores));
  if (isNormalized)
    w.fail("expert_weights_norm", "false, as scores are a softmax", "true");
  w.fields["topk_method"] = groups > 1 ? "group_limited_greedy" : "greedy";
}
