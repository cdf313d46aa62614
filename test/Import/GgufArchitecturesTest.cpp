// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors of GGUF files of DeepSeek's models, of encoders and of T5.

#include "test/Import/GgufTesting.h"

#include <gmock/gmock.h>

using namespace heddle;
using heddle::test::Llama;
using testing::HasSubstr;

using GgufArchitectures = heddle::test::GgufModelTest;

static Llama deepSeek() {
  Llama model;
  model.architecture = "deepseek2";
  for (const auto &[key, value] :
       std::map<std::string, uint32_t>{{"attention.key_length", 6},
                                       {"attention.value_length", 4},
                                       {"attention.kv_lora_rank", 4},
                                       {"leading_dense_block_count", 1},
                                       {"expert_count", 4},
                                       {"expert_used_count", 2},
                                       {"expert_feed_forward_length", 4}})
    model.numbers[key] = value;
  return model;
}

TEST_F(GgufArchitectures, negative_deepseek) {
  EXPECT_THAT(
      import(deepSeek()),
      HasSubstr("tensor 'blk.0.attn_q.weight': expected shape [12, 8]"));
  Llama plain = deepSeek();
  plain.numbers["attention.key_length"] = 4;
  EXPECT_EQ(import(plain), "key 'deepseek2.attention.key_length': expected "
                           "more than rope.dimension_count, 4, found 4");
  Llama narrow = deepSeek();
  narrow.tensors["blk.0.attn_q_a.weight"] = {8, 4};
  EXPECT_EQ(import(narrow), "key 'deepseek2.attention.q_lora_rank': expected a "
                            "number, found nothing");
  Llama scores = deepSeek();
  scores.numbers["expert_gating_func"] = 3;
  EXPECT_EQ(import(scores), "key 'deepseek2.expert_gating_func': expected 1 "
                            "(softmax) or 2 (sigmoid), found 3");
  Llama sum = deepSeek();
  sum.builder.set("deepseek2.expert_weights_norm", true);
  EXPECT_EQ(import(sum), "key 'deepseek2.expert_weights_norm': expected false, "
                         "as scores are a softmax, found true");
  Llama groups = deepSeek();
  groups.numbers["expert_gating_func"] = 2;
  groups.numbers["expert_group_count"] = 3;
  EXPECT_THAT(import(groups), HasSubstr("field 'n_group': expected a divisor"));
  Llama stretched = deepSeek();
  stretched.builder.set("deepseek2.rope.scaling.type", "yarn");
  stretched.floats["rope.scaling.factor"] = 4;
  stretched.floats["rope.scaling.attn_factor"] = 2;
  stretched.floats["rope.scaling.yarn_log_multiplier"] = 0.1f;
  EXPECT_EQ(import(stretched),
            "key 'deepseek2.rope.scaling.attn_factor': expected 1 beside "
            "yarn_log_multiplier, found 2");
  Llama layers = deepSeek();
  layers.numbers["nextn_predict_layers"] = 1;
  EXPECT_THAT(import(layers), HasSubstr("'deepseek2.nextn_predict_layers'"));
}

static Llama bert(const char *architecture = "bert") {
  Llama model;
  model.architecture = architecture;
  model.numbers.erase("attention.head_count_kv");
  model.numbers.erase("rope.dimension_count");
  model.floats = {{"attention.layer_norm_epsilon", 1e-5f}};
  return model;
}

TEST_F(GgufArchitectures, negative_encoders) {
  EXPECT_THAT(import(bert()), HasSubstr("tensor 'position_embd.weight'"));
  Llama heads = bert();
  heads.numbers["attention.head_count_kv"] = 1;
  EXPECT_EQ(import(heads),
            "key 'bert.attention.head_count_kv': expected 2, found 1");
  Llama decoder = bert();
  decoder.builder.set("bert.attention.causal", true);
  EXPECT_EQ(import(decoder),
            "key 'bert.attention.causal': expected false, found true");
  Llama pooling = bert();
  pooling.numbers["pooling_type"] = 5;
  EXPECT_EQ(import(pooling),
            "key 'bert.pooling_type': expected 0 to 4, found 5");
  Llama rank = bert();
  rank.numbers["pooling_type"] = 4;
  EXPECT_EQ(import(rank), "tensor 'cls.weight': expected a matrix, as "
                          "pooling_type is 4, which ranks, found no such "
                          "tensor");
  rank.tensors["cls.weight"] = {8, 8};
  // One label; ggml has no first dimensions of 1.
  rank.tensors["cls.output.weight"] = {8};
  EXPECT_THAT(import(rank), HasSubstr("tensor 'position_embd.weight'"));
  rank.tensors["cls.output.weight"] = {8, 2, 2};
  EXPECT_EQ(import(rank), "tensor 'cls.output.weight': expected a matrix, as "
                          "pooling_type is 4, which ranks, found 3 "
                          "dimensions");
  Llama window = bert("modern-bert");
  EXPECT_EQ(import(window), "key 'modern-bert.attention.sliding_window': "
                            "expected a number, found nothing");
  window.numbers["attention.sliding_window"] = 4;
  window.builder.set("modern-bert.rope.scaling.type", "yarn");
  EXPECT_EQ(import(window), "key 'modern-bert.rope.scaling.type': expected "
                            "none, found yarn");
  Llama ranks = bert("modern-bert");
  ranks.numbers["attention.sliding_window"] = 4;
  ranks.numbers["pooling_type"] = 4;
  EXPECT_EQ(import(ranks),
            "key 'modern-bert.pooling_type': expected 0 to 3 (nothing else is "
            "supported), found 4, which ranks");
  Llama layers = bert();
  layers.numbers.erase("block_count");
  layers.builder.setNumbers<uint32_t>("bert.block_count", 4, {});
  EXPECT_EQ(import(layers),
            "key 'bert.block_count': expected an integer, found an array");
  Llama table = bert();
  table.tensors["token_embd.weight"] = {8};
  EXPECT_EQ(import(table), "tensor 'token_embd.weight': expected a matrix, "
                           "found 1 dimensions");
}

TEST_F(GgufArchitectures, negative_t5) {
  Llama model = bert("t5");
  EXPECT_EQ(import(model), "key 't5.attention.relative_buckets_count': "
                           "expected a number, found nothing");
  model.numbers["attention.relative_buckets_count"] = 8;
  EXPECT_EQ(import(model), "key 't5.decoder_start_token_id': expected a "
                           "number, found nothing");
  model.numbers["decoder_start_token_id"] = 6;
  EXPECT_THAT(import(model), HasSubstr("field 'decoder_start_token_id': "));
  model.numbers["decoder_start_token_id"] = 0;
  EXPECT_THAT(import(model), HasSubstr("tensor 'enc.blk.0.attn_norm.weight'"));
  Llama norms = model;
  norms.floats["attention.layer_norm_rms_epsilon"] = 0.5f;
  EXPECT_THAT(import(norms),
              HasSubstr("key 't5.attention.layer_norm_rms_epsilon': expected "
                        "that of attention.layer_norm_epsilon, "));
  model.numbers["attention.head_count_kv"] = 1;
  EXPECT_EQ(import(model),
            "key 't5.attention.head_count_kv': expected 2, found 1");
}
