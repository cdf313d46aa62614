// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/LlamaConfig.h"

#include "test/Import/ImportTesting.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace heddle;

namespace {

/// The config of these fields, which must be good.
LlamaConfig read(StringRef fields) {
  Expected<LlamaConfig> config =
      parseLlamaConfig(llamaConfig(fields), "config.json");
  if (config)
    return *config;
  ADD_FAILURE() << toString(config.takeError());
  return LlamaConfig();
}

//===-- what is read ------------------------------------------------------===//

TEST(LlamaConfig, defaultsAreThoseOfTransformers) {
  LlamaConfig config = read("");
  EXPECT_EQ(config.hiddenSize, 4096);
  EXPECT_EQ(config.intermediateSize, 11008);
  EXPECT_EQ(config.layers, 32);
  EXPECT_EQ(config.heads, 32);
  EXPECT_EQ(config.kvHeads, 32);
  EXPECT_EQ(config.headDim, 128);
  EXPECT_EQ(config.vocabularySize, 32000);
  EXPECT_EQ(config.maxPositions, 2048);
  EXPECT_EQ(config.rmsNormEpsilon, 1e-6);
  EXPECT_EQ(config.ropeTheta, 10000.0);
  EXPECT_EQ(config.ropeScaling.kind, RopeScaling::Kind::None);
  EXPECT_FALSE(config.tieWordEmbeddings);
  EXPECT_FALSE(config.attentionBias);
  EXPECT_FALSE(config.mlpBias);
  EXPECT_EQ(config.bosToken, 1);
  EXPECT_EQ(config.eosTokens, (SmallVector<int64_t, 4>{2}));
}

TEST(LlamaConfig, readsEveryField) {
  LlamaConfig config =
      read("'hidden_size': 96, 'intermediate_size': 10, 'num_hidden_layers': 3,"
           "'num_attention_heads': 6, 'num_key_value_heads': 2, 'head_dim': 8,"
           "'vocab_size': 50, 'max_position_embeddings': 77,"
           "'rms_norm_eps': 0, 'rope_theta': 100, 'tie_word_embeddings': true,"
           "'attention_bias': true, 'mlp_bias': true, 'hidden_act': 'silu',"
           "'bos_token_id': 49, 'eos_token_id': [3, 0], 'dtype': 'bfloat16'");
  EXPECT_EQ(config.hiddenSize, 96);
  EXPECT_EQ(config.intermediateSize, 10);
  EXPECT_EQ(config.layers, 3);
  EXPECT_EQ(config.heads, 6);
  EXPECT_EQ(config.kvHeads, 2);
  EXPECT_EQ(config.headDim, 8);
  EXPECT_EQ(config.vocabularySize, 50);
  EXPECT_EQ(config.maxPositions, 77);
  EXPECT_EQ(config.rmsNormEpsilon, 0);
  EXPECT_EQ(config.ropeTheta, 100);
  EXPECT_TRUE(config.tieWordEmbeddings);
  EXPECT_TRUE(config.attentionBias);
  EXPECT_TRUE(config.mlpBias);
  EXPECT_EQ(config.bosToken, 49);
  EXPECT_EQ(config.eosTokens, (SmallVector<int64_t, 4>{3, 0}));
}

TEST(LlamaConfig, nullMeansNotSet) {
  LlamaConfig config =
      read("'num_key_value_heads': null, 'head_dim': null, 'bos_token_id': "
           "null, 'eos_token_id': null, 'rope_scaling': null, "
           "'rope_parameters': null, 'torch_dtype': null, 'pretraining_tp': "
           "null, 'num_attention_heads': 16");
  EXPECT_EQ(config.kvHeads, 16);
  EXPECT_EQ(config.headDim, 256);
  EXPECT_EQ(config.bosToken, std::nullopt);
  EXPECT_TRUE(config.eosTokens.empty());
}

TEST(LlamaConfig, defaultTokensBeyondTheVocabularyAreNone) {
  LlamaConfig config = read("'vocab_size': 1");
  EXPECT_EQ(config.bosToken, std::nullopt);
  EXPECT_TRUE(config.eosTokens.empty());
}

TEST(LlamaConfig, dtypesOfTensorsAreAccepted) {
  for (StringRef type : {"float32", "bfloat16", "float16"})
    read(("'torch_dtype': '" + type + "', 'dtype': 'float32'").str());
}

TEST(LlamaConfig, harmlessFieldsAreAccepted) {
  read(
      "'initializer_range': 0.5, 'attention_dropout': 0.1, 'use_cache': false,"
      "'transformers_version': '5.0', '_name_or_path': 'x', 'pad_token_id': -1,"
      "'temperature': 0.6, 'max_length': 4096, 'id2label': {'0': 'a'},"
      "'return_dict': false, 'is_llama_config': true");
  read("'pretraining_tp': 1, 'rope_interleaved': false, 'is_decoder': false,"
       "'output_attentions': false, 'chunk_size_feed_forward': 0,"
       "'pruned_heads': {}, 'partial_rotary_factor': 1.0,"
       "'quantization_config': null, 'sliding_window': null");
  // Parts of a product are summed up.
  read("'pretraining_tp': 2");
  read("'unsloth_fixed': true, 'unsloth_version': '2024.9'");
  // As in files that were Qwen2's.
  read("'use_sliding_window': false");
  read("'use_sliding_window': false, 'sliding_window': 4096,"
       "'max_window_layers': 28");
}

TEST(LlamaConfig, readsRopeScaling) {
  RopeScaling linear =
      read("'rope_scaling': {'type': 'linear', 'factor': 2}").ropeScaling;
  EXPECT_EQ(linear.kind, RopeScaling::Kind::Linear);
  EXPECT_EQ(linear.factor, 2.0);

  RopeScaling llama3 =
      read("'rope_scaling': {'rope_type': 'llama3', 'factor': 32.0,"
           "'low_freq_factor': 1.0, 'high_freq_factor': 4.0,"
           "'original_max_position_embeddings': 8192}")
          .ropeScaling;
  EXPECT_EQ(llama3.kind, RopeScaling::Kind::Llama3);
  EXPECT_EQ(llama3.factor, 32.0);
  EXPECT_EQ(llama3.lowFrequencyFactor, 1.0);
  EXPECT_EQ(llama3.highFrequencyFactor, 4.0);
  EXPECT_EQ(llama3.originalMaxPositions, 8192);

  for (StringRef rope : {"{}", "{'type': 'default'}", "{'rope_type': null}",
                         "{'rope_type': 'default', 'factor': null}"})
    EXPECT_EQ(read(("'rope_scaling': " + rope).str()).ropeScaling.kind,
              RopeScaling::Kind::None);
}

TEST(LlamaConfig, readsRopeParameters) {
  LlamaConfig config =
      read("'rope_parameters': {'rope_type': 'linear', 'type': 'linear',"
           "'rope_theta': 500000, 'factor': 4.0, 'partial_rotary_factor': 1}");
  EXPECT_EQ(config.ropeTheta, 500000.0);
  EXPECT_EQ(config.ropeScaling.kind, RopeScaling::Kind::Linear);
  EXPECT_EQ(config.ropeScaling.factor, 4.0);
  // Both spellings of one fact.
  config = read("'rope_parameters': {'rope_theta': 9}, 'rope_theta': 9.0,"
                "'rope_scaling': {'rope_theta': 9}");
  EXPECT_EQ(config.ropeTheta, 9.0);
}

//===-- files -------------------------------------------------------------===//

TEST(LlamaConfig, readsTheFolder) {
  TemporaryFolder folder;
  folder.write("config.json", llamaConfig("'hidden_size': 64"));
  Expected<LlamaConfig> config = readLlamaConfig(folder.path());
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  EXPECT_EQ(config->hiddenSize, 64);
}

TEST(LlamaConfig, negative_files) {
  TemporaryFolder folder;
  auto expect = [&](StringRef expected) {
    Expected<LlamaConfig> config = readLlamaConfig(folder.path());
    ASSERT_FALSE(bool(config));
    EXPECT_EQ(toString(config.takeError()),
              folder.path("config.json") + ": " + expected.str());
  };
  expect("cannot read: No such file or directory");
  folder.write("config.json", "[]");
  expect("expected a JSON object, got []");
  folder.write("config.json", "{");
  expect("malformed JSON: [1:1, byte=1]: Expected object key");
  folder.write("config.json", "{\"head_dim\": 8, \"head_dim\": 8}");
  expect("expected each name once, got 'head_dim' twice");
  ASSERT_FALSE(sys::fs::remove(folder.path("config.json")));
  ASSERT_FALSE(sys::fs::create_directory(folder.path("config.json")));
  expect("cannot read: expected a regular file, found a folder");
}

TEST(LlamaConfigRealData, acceptsLlamaAndNothingElse) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  int accepted = 0, rejected = 0;
  std::error_code code;
  SmallString<128> folder(root);
  sys::path::append(folder, "hf-configs");
  for (sys::fs::directory_iterator file(folder, code), end;
       file != end && !code; file.increment(code)) {
    auto buffer = MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(bool(buffer)) << file->path();
    StringRef text = (*buffer)->getBuffer();
    Expected<LlamaConfig> config = parseLlamaConfig(text, file->path());
    bool isLlama = text.contains("\"LlamaForCausalLM\"");
    EXPECT_EQ(bool(config), isLlama) << file->path();
    if (config) {
      ++accepted;
      continue;
    }
    ++rejected;
    std::string message = toString(config.takeError());
    EXPECT_NE(message.find("field 'architectures': expected one of the "
                           "supported architectures [\"LlamaForCausalLM\"]"),
              std::string::npos)
        << message;
  }
  ASSERT_FALSE(code) << code.message();
  EXPECT_GE(accepted, 9);
  EXPECT_GE(rejected, 30);
}

TEST(LlamaConfigRealData, readsStories260K) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  SmallString<128> folder(root);
  sys::path::append(folder, "stories260K");
  Expected<LlamaConfig> config = readLlamaConfig(folder);
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  EXPECT_EQ(config->hiddenSize, 64);
  EXPECT_EQ(config->heads, 8);
  EXPECT_EQ(config->kvHeads, 4);
  EXPECT_EQ(config->headDim, 8);
  EXPECT_EQ(config->layers, 5);
  EXPECT_EQ(config->rmsNormEpsilon, 1e-5);
  EXPECT_TRUE(config->tieWordEmbeddings);
}

} // namespace
