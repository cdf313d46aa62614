// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What GGUF files say of models, and what is wrong with them.

#include "test/Import/GgufTesting.h"

#include <gmock/gmock.h>

using namespace heddle;
using heddle::test::GgufBuilder;
using heddle::test::Llama;
using testing::HasSubstr;

using GgufModel = heddle::test::GgufModelTest;

TEST_F(GgufModel, reads_a_llama) {
  std::string text = import({});
  EXPECT_THAT(text, HasSubstr("heddle.name = \"m\""));
  EXPECT_THAT(text, HasSubstr("@blk.0.attn_q.weight"));
  EXPECT_THAT(text, HasSubstr("interleaved"));
  EXPECT_THAT(text, HasSubstr("heddle.positions = 16"));
}

TEST_F(GgufModel, ids_end_texts_if_the_vocabulary_has_them) {
  Llama model;
  model.builder.set("tokenizer.ggml.bos_token_id", 1u);
  model.builder.set("tokenizer.ggml.eos_token_id", 2u);
  model.builder.set("tokenizer.ggml.eot_token_id", 5u);
  model.builder.set("tokenizer.ggml.eom_token_id", 0xffffffffu);
  std::string text = import(model);
  EXPECT_THAT(text, HasSubstr("heddle.bos = array<i64: 1>"));
  EXPECT_THAT(text, HasSubstr("heddle.eos = array<i64: 2, 5>"));
}

// What the family's files usually have is another file's.
TEST_F(GgufModel, ids_that_a_file_does_not_name_are_none) {
  std::string text = import({});
  EXPECT_THAT(text, HasSubstr("heddle.bos = array<i64>"));
  EXPECT_THAT(text, HasSubstr("heddle.eos = array<i64>"));
}

TEST_F(GgufModel, a_head_that_repeats_the_embedding_is_none) {
  Llama model;
  model.tensors["output.weight"] = {8, 6};
  EXPECT_THAT(import(model), Not(HasSubstr("@output.weight")));
}

TEST_F(GgufModel, frequencies_of_llama_3_are_a_tensor) {
  Llama model;
  model.tensors["rope_freqs.weight"] = {2};
  EXPECT_THAT(import(model),
              HasSubstr("as config.json: field 'rope_scaling': field "
                        "'short_factor': expected an array of finite numbers "
                        "> 0, got 0"));
}

// What llama.cpp takes for keys that are absent, whatever the family's own
// defaults are.
TEST_F(GgufModel, absent_keys_are_those_of_llama_cpp) {
  Llama model;
  for (const char *key : {"attention.head_count_kv", "rope.dimension_count"})
    model.numbers.erase(key);
  model.floats.erase("rope.freq_base");
  model.tensors["blk.0.attn_k.weight"] = {8, 8};
  model.tensors["blk.0.attn_v.weight"] = {8, 8};
  EXPECT_THAT(import(model), HasSubstr("heads(2)"));
  // Of the family a quarter of each head rotates.
  Llama stable = model;
  stable.architecture = "stablelm";
  stable.floats = {{"attention.layer_norm_epsilon", 1e-5f}};
  stable.tensors["output_norm.bias"] = {8};
  stable.tensors["blk.0.attn_norm.bias"] = {8};
  stable.tensors["blk.0.ffn_norm.bias"] = {8};
  EXPECT_THAT(import(stable), HasSubstr("heddle.rotary"));
  EXPECT_THAT(import(stable), Not(HasSubstr("rotated(")));
  // Of the family heads have 128 channels, and its base is another one.
  Llama qwen = model;
  qwen.architecture = "qwen3";
  qwen.tensors["blk.0.attn_q_norm.weight"] = {4};
  qwen.tensors["blk.0.attn_k_norm.weight"] = {4};
  EXPECT_THAT(import(qwen), HasSubstr("@blk.0.attn_q_norm.weight"));
  Llama granite = model;
  granite.architecture = "granite";
  EXPECT_THAT(import(granite), Not(HasSubstr("scale(1.0")));
}

TEST_F(GgufModel, a_factor_without_a_kind_is_linear) {
  Llama model;
  model.floats["rope.scaling.factor"] = 4;
  EXPECT_THAT(import(model), HasSubstr("linear"));
  model.tensors["rope_freqs.weight"] = {2};
  EXPECT_EQ(import(model), "key 'llama.rope.scaling.factor': expected none "
                           "beside tensors of factors, found 4");
}

TEST_F(GgufModel, negative_architecture) {
  Llama model;
  model.architecture = "mamba";
  EXPECT_THAT(import(model),
              HasSubstr("key 'general.architecture': expected one of bert, "
                        "cohere2, command-r, "));
  EXPECT_THAT(import(model), HasSubstr(", starcoder2, t5, found 'mamba'"));
}

TEST_F(GgufModel, negative_keys) {
  Llama unknown;
  unknown.floats["attention.new_factor"] = 2;
  EXPECT_EQ(import(unknown),
            "key 'llama.attention.new_factor': expected only keys that are "
            "known of this architecture, found 2");
  Llama absent;
  absent.numbers.erase("block_count");
  EXPECT_EQ(import(absent),
            "key 'llama.block_count': expected a number, found nothing");
  Llama other;
  other.floats.erase("rope.freq_base");
  other.builder.set("llama.rope.freq_base", "10000");
  EXPECT_EQ(import(other), "key 'llama.rope.freq_base': expected a finite "
                           "number, found '10000'");
  Llama each;
  each.numbers.erase("attention.head_count_kv");
  each.numbers["block_count"] = 2;
  each.builder.setNumbers<uint32_t>("llama.attention.head_count_kv", 4, {1, 2});
  EXPECT_EQ(import(each),
            "key 'llama.attention.head_count_kv': expected one number for all "
            "layers (others are not supported), found several");
  Llama values;
  values.numbers["attention.key_length"] = 4;
  values.numbers["attention.value_length"] = 8;
  EXPECT_EQ(import(values), "key 'llama.attention.value_length': expected that "
                            "of keys, 4, found 8");
  Llama shorter = each;
  shorter.numbers["block_count"] = 3;
  EXPECT_EQ(import(shorter),
            "key 'llama.attention.head_count_kv': expected a number, or one "
            "for each of the 3 layers, found 2 numbers");
  Llama many;
  many.numbers["block_count"] = 0xffffffff;
  for (const char *name : {"llama", "stablelm", "falcon"}) {
    many.architecture = name;
    EXPECT_EQ(import(many), "key '" + std::string(name) +
                                ".block_count': expected 1 to 65536 layers, "
                                "found 4294967295");
  }
  Llama tokens;
  tokens.builder.set("tokenizer.ggml.tokens", std::vector<std::string>(9, "a"));
  EXPECT_EQ(import(tokens), "key 'tokenizer.ggml.tokens': expected at most the "
                            "6 tokens of token_embd.weight, found 9");
  Llama epsilon;
  epsilon.floats.erase("attention.layer_norm_rms_epsilon");
  EXPECT_EQ(import(epsilon),
            "key 'llama.attention.layer_norm_rms_epsilon': expected that or "
            "attention.layer_norm_epsilon, found nothing");
  Llama scaling;
  scaling.builder.set("llama.rope.scaling.type", "dynamic");
  EXPECT_THAT(import(scaling),
              HasSubstr("key 'llama.rope.scaling.type': expected none, linear, "
                        "or yarn with a factor"));
  Llama both;
  both.builder.set("llama.attention.causal", false);
  EXPECT_EQ(import(both),
            "key 'llama.attention.causal': expected true, found false");
  Llama heads;
  heads.numbers["attention.head_count"] = 3;
  EXPECT_THAT(import(heads), HasSubstr("as config.json: field "));
}

TEST_F(GgufModel, negative_tensors) {
  Llama absent;
  absent.tensors.erase("blk.0.ffn_up.weight");
  EXPECT_EQ(import(absent), "tensor 'blk.0.ffn_up.weight': expected shape [12, "
                            "8], found no such tensor");
  Llama shape;
  shape.tensors["blk.0.ffn_up.weight"] = {8, 10};
  EXPECT_EQ(import(shape), "tensor 'blk.0.ffn_up.weight': expected shape [12, "
                           "8], found [10, 8]");
  Llama unread;
  unread.tensors["blk.0.attn_sub_norm.weight"] = {8};
  EXPECT_THAT(import(unread),
              HasSubstr("tensor 'blk.0.attn_sub_norm.weight': expected only "
                        "tensors that the model reads"));
  // Biases are those that there are.
  Llama bias;
  bias.tensors["blk.0.attn_q.bias"] = {8};
  EXPECT_THAT(import(bias), HasSubstr("@blk.0.attn_q.bias"));
  Llama type;
  type.tensors.erase("blk.0.attn_norm.weight");
  type.builder.addTensor("blk.0.attn_norm.weight", {8}, 26,
                         std::string(32, '\0'));
  EXPECT_THAT(import(type),
              HasSubstr("tensor 'blk.0.attn_norm.weight': expected one of the "
                        "types F32, BF16, F16, found I32"));
  Llama unknown;
  unknown.tensors.erase("blk.0.ffn_up.weight");
  unknown.builder.addTensor("blk.0.ffn_up.weight", {8, 12}, 16, "");
  EXPECT_THAT(import(unknown),
              HasSubstr("tensor 'blk.0.ffn_up.weight': expected one of the "
                        "types F32, BF16, F16, found type 16 of ggml"));
}

TEST_F(GgufModel, negative_weights) {
  folder.write("m.gguf", Llama().bytes());
  ImportOptions options;
  options.checkpoint = "w";
  auto imported = importGguf(folder.path("m.gguf"), options, context);
  ASSERT_FALSE(bool(imported));
  EXPECT_THAT(llvm::toString(imported.takeError()),
              HasSubstr("has weights of its own"));
}
