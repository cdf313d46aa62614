// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/FamiliesTesting.h"

using namespace llvm;
using namespace heddle;

namespace {

TEST(FamiliesErrors, negative_windowsThatAreOff) {
  expectError("Qwen2ForCausalLM", "qwen2",
              "'num_hidden_layers': 1, 'layer_types': ['sliding_attention']",
              "field 'use_sliding_window': expected true, as 'layer_types' has "
              "\"sliding_attention\", got nothing");
}

TEST(FamiliesErrors, negative_layerTypes) {
  expectError("Qwen2ForCausalLM", "qwen2",
              "'num_hidden_layers': 2, 'layer_types': ['full_attention']",
              "field 'layer_types': expected a type for each of the 2 layers, "
              "got 1 types");
  expectError("Gemma2ForCausalLM", "gemma2",
              "'num_hidden_layers': 1, 'layer_types': ['linear_attention']",
              "field 'layer_types': expected \"full_attention\" or "
              "\"sliding_attention\", got linear_attention");
}

TEST(FamiliesErrors, negative_stretchThatIsNotSaid) {
  expectError("GptOssForCausalLM", "gpt_oss", "'head_dim': 64",
              "field 'rope_scaling': expected an object, got nothing");
}

TEST(FamiliesErrors, negative_experts) {
  expectError("MixtralForCausalLM", "mixtral",
              "'num_local_experts': 4, 'num_experts_per_tok': 5",
              "field 'num_experts_per_tok': expected at most "
              "'num_local_experts', 4, got 5");
  expectError("DeepseekV3ForCausalLM", "deepseek_v3",
              "'n_routed_experts': 8, 'n_group': 3",
              "field 'n_group': expected a divisor of 'n_routed_experts', 8, "
              "got 3");
  expectError("DeepseekV3ForCausalLM", "deepseek_v3",
              "'n_routed_experts': 8, 'n_group': 8, 'topk_group': 8",
              "field 'n_group': expected groups of at least 2 of the 8 "
              "experts, got 8");
  expectError("DeepseekV3ForCausalLM", "deepseek_v3",
              "'n_routed_experts': 16, 'n_group': 4, 'topk_group': 1",
              "field 'topk_group': expected groups of 'n_group', 4, that have "
              "'num_experts_per_tok' experts, got 1");
}

TEST(FamiliesErrors, negative_factorsOfPairs) {
  expectError("Phi3ForCausalLM", "phi3",
              "'original_max_position_embeddings': 1, 'rope_scaling': {'type': "
              "'longrope', 'short_factor': [1.0], 'long_factor': [2.0]}",
              "field 'original_max_position_embeddings': expected an integer "
              ">= 2 and <= 2147483647, got 1");
  expectError("Phi3ForCausalLM", "phi3",
              "'original_max_position_embeddings': 8, 'rope_scaling': {'type': "
              "'longrope', 'short_factor': [1.0], 'long_factor': [2.0]}",
              "field 'rope_scaling': expected a 'short_factor' of 48 numbers, "
              "one for each pair of channels, got 1");
}

} // namespace
