// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/FamiliesTesting.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace heddle;

namespace {

/// The config of these fields, which must be good.
ModelDescription read(StringRef fields) {
  return describeOrFail(llamaConfig(fields));
}

//===-- what is read ------------------------------------------------------===//

TEST(LlamaConfig, defaultsAreThoseOfTransformers) {
  ModelDescription config = read("");
  EXPECT_EQ(config.decoder().hiddenSize, 4096);
  EXPECT_EQ(config.decoder().block.feedForward.hiddenSize, 11008);
  EXPECT_EQ(config.decoder().layers.size(), 32);
  EXPECT_EQ(config.decoder().block.attention.heads, 32);
  EXPECT_EQ(config.decoder().block.attention.kvHeads, 32);
  EXPECT_EQ(config.decoder().block.attention.headChannels, 128);
  EXPECT_EQ(config.decoder().vocabularySize, 32000);
  EXPECT_EQ(config.decoder().maxPositions, 2048);
  EXPECT_EQ(config.decoder().block.norm.epsilon, 1e-6);
  EXPECT_EQ(rotaryOf(config).base, 10000.0);
  EXPECT_FALSE(rotaryOf(config).scaling);
  EXPECT_FALSE(config.decoder().hasTiedHead);
  EXPECT_FALSE(config.decoder().block.attention.output.hasBias);
  EXPECT_FALSE(config.decoder().block.feedForward.down.hasBias);
  EXPECT_EQ(config.tokens.bos, SmallVector<int64_t>{1});
  EXPECT_EQ(config.tokens.eos, (SmallVector<int64_t>{2}));
}

TEST(LlamaConfig, readsEveryField) {
  ModelDescription config =
      read("'hidden_size': 96, 'intermediate_size': 10, 'num_hidden_layers': 3,"
           "'num_attention_heads': 6, 'num_key_value_heads': 2, 'head_dim': 8,"
           "'vocab_size': 50, 'max_position_embeddings': 77,"
           "'rms_norm_eps': 0, 'rope_theta': 100, 'tie_word_embeddings': true,"
           "'attention_bias': true, 'mlp_bias': true, 'hidden_act': 'silu',"
           "'bos_token_id': 49, 'eos_token_id': [3, 0], 'dtype': 'bfloat16'");
  EXPECT_EQ(config.decoder().hiddenSize, 96);
  EXPECT_EQ(config.decoder().block.feedForward.hiddenSize, 10);
  EXPECT_EQ(config.decoder().layers.size(), 3);
  EXPECT_EQ(config.decoder().block.attention.heads, 6);
  EXPECT_EQ(config.decoder().block.attention.kvHeads, 2);
  EXPECT_EQ(config.decoder().block.attention.headChannels, 8);
  EXPECT_EQ(config.decoder().vocabularySize, 50);
  EXPECT_EQ(config.decoder().maxPositions, 77);
  EXPECT_EQ(config.decoder().block.norm.epsilon, 0);
  EXPECT_EQ(rotaryOf(config).base, 100);
  EXPECT_TRUE(config.decoder().hasTiedHead);
  EXPECT_TRUE(config.decoder().block.attention.output.hasBias);
  EXPECT_TRUE(config.decoder().block.feedForward.down.hasBias);
  EXPECT_EQ(config.tokens.bos, SmallVector<int64_t>{49});
  EXPECT_EQ(config.tokens.eos, (SmallVector<int64_t>{3, 0}));
}

TEST(LlamaConfig, nullMeansNotSet) {
  ModelDescription config =
      read("'num_key_value_heads': null, 'head_dim': null, 'bos_token_id': "
           "null, 'eos_token_id': null, 'rope_scaling': null, "
           "'rope_parameters': null, 'torch_dtype': null, 'pretraining_tp': "
           "null, 'num_attention_heads': 16");
  EXPECT_EQ(config.decoder().block.attention.kvHeads, 16);
  EXPECT_EQ(config.decoder().block.attention.headChannels, 256);
  EXPECT_TRUE(config.tokens.bos.empty());
  EXPECT_TRUE(config.tokens.eos.empty());
}

TEST(LlamaConfig, defaultTokensBeyondTheVocabularyAreNone) {
  ModelDescription config = read("'vocab_size': 1");
  EXPECT_TRUE(config.tokens.bos.empty());
  EXPECT_TRUE(config.tokens.eos.empty());
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
  auto scaling = [](StringRef rope) {
    std::string text;
    raw_string_ostream(text)
        << rotaryOf(read(("'rope_scaling': " + rope).str())).scaling;
    return text;
  };
  EXPECT_EQ(scaling("{'type': 'linear', 'factor': 2}"),
            "#heddle.rope_scaling<linear, factor = 2.000000e+00>");
  EXPECT_EQ(scaling("{'rope_type': 'llama3', 'factor': 32.0,"
                    "'low_freq_factor': 1.0, 'high_freq_factor': 4.0,"
                    "'original_max_position_embeddings': 8192}"),
            "#heddle.rope_scaling<llama3, factor = 3.200000e+01, "
            "low = 1.000000e+00, high = 4.000000e+00, original = 8192>");
  EXPECT_EQ(scaling("{'rope_type': 'yarn', 'factor': 4.0}"),
            "#heddle.rope_scaling<yarn, factor = 4.000000e+00, "
            "original = 2048>");
  EXPECT_EQ(scaling("{'rope_type': 'yarn', 'factor': 4.0, 'beta_fast': 16,"
                    "'beta_slow': 2, 'attention_factor': 1.5, 'truncate': "
                    "false, 'original_max_position_embeddings': 512}"),
            "#heddle.rope_scaling<yarn, factor = 4.000000e+00, original = 512, "
            "fast = 1.600000e+01, slow = 2.000000e+00, "
            "attention = 1.500000e+00, truncate = false>");
  for (StringRef rope : {"{}", "{'type': 'default'}", "{'rope_type': null}",
                         "{'rope_type': 'default', 'factor': null}"})
    EXPECT_FALSE(rotaryOf(read(("'rope_scaling': " + rope).str())).scaling);
}

TEST(LlamaConfig, readsRopeParameters) {
  ModelDescription config =
      read("'rope_parameters': {'rope_type': 'linear', 'type': 'linear',"
           "'rope_theta': 500000, 'factor': 4.0, 'partial_rotary_factor': 1}");
  EXPECT_EQ(rotaryOf(config).base, 500000.0);
  EXPECT_EQ(rotaryOf(config).scaling.getKind(), RopeScalingKind::Linear);
  EXPECT_EQ(rotaryOf(config).scaling.getFactor().getValueAsDouble(), 4.0);
  // Both spellings of one fact.
  config = read("'rope_parameters': {'rope_theta': 9}, 'rope_theta': 9.0,"
                "'rope_scaling': {'rope_theta': 9}");
  EXPECT_EQ(rotaryOf(config).base, 9.0);
}

//===-- files -------------------------------------------------------------===//

TEST(LlamaConfig, readsTheFolder) {
  TemporaryFolder folder;
  folder.write("config.json", llamaConfig("'hidden_size': 64"));
  Expected<ModelDescription> config =
      describeModelOf(folder.path(), contextOfTests());
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  EXPECT_EQ(config->decoder().hiddenSize, 64);
}

TEST(LlamaConfig, negative_files) {
  TemporaryFolder folder;
  auto expect = [&](StringRef expected) {
    Expected<ModelDescription> config =
        describeModelOf(folder.path(), contextOfTests());
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

TEST(LlamaConfigRealData, acceptsFamilies) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  int accepted = 0;
  std::error_code code;
  SmallString<128> folder(root);
  sys::path::append(folder, "hf-configs");
  for (sys::fs::directory_iterator file(folder, code), end;
       file != end && !code; file.increment(code)) {
    auto buffer = MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(bool(buffer)) << file->path();
    StringRef text = (*buffer)->getBuffer();
    Expected<ModelDescription> config =
        describeModel(text, file->path(), contextOfTests());
    std::string message = config ? "" : toString(config.takeError());
    bool isKnown = !text.contains("OpenAIGPT");
    EXPECT_EQ(message.empty(), isKnown) << message;
    accepted += isKnown;
    if (!isKnown)
      EXPECT_NE(message.find("field 'architectures': expected one of the "
                             "architectures"),
                std::string::npos)
          << message;
  }
  ASSERT_FALSE(code) << code.message();
  EXPECT_EQ(accepted, 38);
}

TEST(LlamaConfigRealData, readsStories260K) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  SmallString<128> folder(root);
  sys::path::append(folder, "stories260K");
  Expected<ModelDescription> config = describeModelOf(folder, contextOfTests());
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  const DecoderDescription &decoder = config->decoder();
  EXPECT_EQ(decoder.hiddenSize, 64);
  EXPECT_EQ(decoder.block.attention.heads, 8);
  EXPECT_EQ(decoder.block.attention.kvHeads, 4);
  EXPECT_EQ(decoder.block.attention.headChannels, 8);
  EXPECT_EQ(decoder.layers.size(), 5);
  EXPECT_EQ(decoder.block.norm.epsilon, 1e-5);
  EXPECT_TRUE(decoder.hasTiedHead);
}

} // namespace
