// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/FamiliesTesting.h"

using namespace llvm;
using namespace heddle;

namespace {

void expectTextError(StringRef text, StringRef expected) {
  Expected<ModelDescription> config = describeText(text);
  ASSERT_FALSE(bool(config)) << "expected: " << expected.str();
  EXPECT_EQ(toString(config.takeError()), "config.json: " + expected.str());
}

/// These fields must fail with this message.
void expectError(StringRef fields, StringRef expected) {
  expectTextError(llamaConfig(fields), expected);
}

//===-- fields that are rejected ------------------------------------------===//

TEST(LlamaConfig, negative_unknownField) {
  expectError("'foo': null",
              "field 'foo' is not known to this importer; it may "
              "change the result");
  // Neither the order in the file nor a hash decides which comes first.
  expectError("'zoo': 1, 'foo': 1",
              "field 'foo' is not known to this importer; "
              "it may change the result");
}

TEST(LlamaConfig, negative_harmlessInOneValueOnly) {
  auto expect = [](StringRef name, StringRef value, StringRef only) {
    expectError(("'" + name + "': " + value).str(),
                ("field '" + name + "': expected " + only +
                 " (nothing else is supported), got " + value)
                    .str());
  };
  expect("add_cross_attention", "true", "false");
  expect("chunk_size_feed_forward", "8", "0");
  expect("cross_attention_hidden_size", "8", "null");
  expect("decoder_start_token_id", "8", "null");
  expect("is_decoder", "true", "false");
  expect("is_encoder_decoder", "true", "false");
  expect("is_llama_config", "false", "true");
  expect("output_attentions", "true", "false");
  expect("output_hidden_states", "true", "false");
  expect("partial_rotary_factor", "0.5", "1");
  expect("prefix", "[]", "null");
  expect("pruned_heads", "[0]", "{}");
  expect("rope_interleaved", "true", "false");
  expect("sliding_window", "4096", "null");
  expect("tf_legacy_loss", "true", "false");
  expect("tie_encoder_decoder", "true", "false");
  expect("use_bfloat16", "true", "false");
  expect("use_sliding_window", "true", "false");
  expectError("'max_window_layers': 8",
              "field 'max_window_layers' is not known to this importer; it may "
              "change the result");
}

TEST(LlamaConfig, negative_architecture) {
  std::string expected =
      "field 'architectures': expected one of the "
      "architectures that heddlec --list-families prints, got ";
  expectTextError(
      R"({"architectures": ["RwkvForCausalLM"], "model_type": "rwkv"})",
      expected + "[\"RwkvForCausalLM\"]");
  expectTextError(
      R"({"architectures": ["LlamaForCausalLM", "RwkvForCausalLM"]})",
      expected + "[\"LlamaForCausalLM\",\"RwkvForCausalLM\"]");
  expectTextError("{}", "field 'architectures': expected an array of strings, "
                        "got nothing");
  expectTextError(R"({"model_type": "rwkv"})", expected + "nothing");
  expectTextError(
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "mistral"})",
      "field 'model_type': expected \"llama\", got \"mistral\"");
  expectTextError(R"({"architectures": ["LlamaForCausalLM"]})",
                  "field 'model_type': expected \"llama\", got nothing");
}

TEST(LlamaConfig, negative_activation) {
  expectError("'hidden_act': 'mish'",
              "field 'hidden_act': expected one of the supported activations "
              "[\"silu\", \"swish\", \"relu\", \"gelu\", \"gelu_new\", "
              "\"gelu_pytorch_tanh\", \"gelu_fast\", \"quick_gelu\", "
              "\"tanh\", \"sigmoid\"], got \"mish\"");
}

//===-- values that are rejected ------------------------------------------===//

TEST(LlamaConfig, negative_sizes) {
  for (StringRef name :
       {"hidden_size", "intermediate_size", "num_attention_heads",
        "num_key_value_heads", "head_dim", "vocab_size"})
    for (StringRef value : {"0", "-1", "1.5", "8.0", "2147483648",
                            "9.2233720368547758e+18", "true", "[]"})
      expectError(("'" + name + "': " + value).str(),
                  ("field '" + name +
                   "': expected a positive integer <= 2147483647, got " + value)
                      .str());
  for (StringRef value : {"0", "65537"})
    expectError(
        ("'num_hidden_layers': " + value).str(),
        ("field 'num_hidden_layers': expected a positive integer <= 65536, "
         "got " +
         value)
            .str());
  for (StringRef value : {"0", "1073739777", "2147483647"})
    expectError(("'max_position_embeddings': " + value).str(),
                ("field 'max_position_embeddings': expected a positive integer "
                 "<= 1073739776, got " +
                 value)
                    .str());
  expectError("'max_position_embeddings': 1073739776",
              "field 'max_position_embeddings': expected positions whose "
              "rotary table takes at most 268435456 bytes, got 1073739776");
  expectError("'hidden_size': null",
              "field 'hidden_size': expected a positive integer <= 2147483647, "
              "got null");
}

TEST(LlamaConfig, negative_heads) {
  expectError("'num_attention_heads': 32, 'num_key_value_heads': 5",
              "field 'num_key_value_heads': expected a divisor of "
              "'num_attention_heads', 32, got 5");
  expectError("'hidden_size': 100, 'num_attention_heads': 32",
              "field 'hidden_size': expected a multiple of "
              "'num_attention_heads', 32, because 'head_dim' is not given, got "
              "100");
  expectError("'head_dim': 7", "field 'head_dim': expected an even integer, "
                               "got 7");
  expectError("'hidden_size': 96, 'num_attention_heads': 32",
              "field 'head_dim': expected an even integer, got 3");
}

TEST(LlamaConfig, negative_productsOverflow) {
  expectError("'vocab_size': 2147483647, 'hidden_size': 2147483584",
              "field 'vocab_size': expected an embedding whose size in bytes "
              "fits 64 bits, got 2147483647");
  expectError("'intermediate_size': 2147483647, 'hidden_size': 1048576,"
              "'num_hidden_layers': 4096",
              "field 'intermediate_size': expected feed-forward weights whose "
              "size in bytes fits 64 bits, got 2147483647");
  expectError("'num_attention_heads': 2147483647, 'head_dim': 2147483646",
              "field 'num_attention_heads': expected attention weights whose "
              "size in bytes fits 64 bits, got 2147483647");
  expectError("'max_position_embeddings': 67108864,"
              "'num_hidden_layers': 65536, 'head_dim': 524288",
              "field 'max_position_embeddings': expected keys and values "
              "whose size in bytes fits 64 bits, got 67108864");
}

TEST(LlamaConfig, negative_numbers) {
  expectError("'rms_norm_eps': -1",
              "field 'rms_norm_eps': expected a finite number >= 0, got -1");
  expectError("'rms_norm_eps': '1'",
              "field 'rms_norm_eps': expected a finite number >= 0, got \"1\"");
  expectError("'rope_theta': 0",
              "field 'rope_theta': expected a finite number > 0, got 0");
  expectError("'rope_theta': 1e999",
              "field 'rope_theta': expected a finite number > 0, got inf");
}

TEST(LlamaConfig, negative_types) {
  for (StringRef name : {"tie_word_embeddings", "attention_bias", "mlp_bias"})
    expectError(("'" + name + "': 1").str(),
                ("field '" + name + "': expected true or false, got 1").str());
  expectError("'hidden_act': 1",
              "field 'hidden_act': expected a string, got 1");
  expectError("'dtype': 1", "field 'dtype': expected a string, got 1");
}

TEST(LlamaConfig, negative_dtypes) {
  for (StringRef name : {"torch_dtype", "dtype"})
    for (StringRef type : {"int8", "float8_e4m3fn", "float64", ""})
      expectError(("'" + name + "': '" + type + "'").str(),
                  ("field '" + name +
                   "': expected one of the supported types [\"float32\", "
                   "\"bfloat16\", \"float16\"], got \"" +
                   type + "\"")
                      .str());
}

TEST(LlamaConfig, negative_tokens) {
  expectError("'bos_token_id': 32000",
              "field 'bos_token_id': expected a non-negative integer <= 31999, "
              "got 32000");
  expectError("'eos_token_id': -1",
              "field 'eos_token_id': expected a non-negative integer <= 31999, "
              "got -1");
  expectError("'eos_token_id': [2, 'x']",
              "field 'eos_token_id[1]': expected a non-negative integer <= "
              "31999, got \"x\"");
  expectError("'eos_token_id': [2, 3.0]",
              "field 'eos_token_id[1]': expected a non-negative integer <= "
              "31999, got 3.0");
}

TEST(LlamaConfig, negative_ropeScaling) {
  auto expect = [](StringRef rope, StringRef message) {
    expectError(("'rope_scaling': " + rope).str(),
                ("field 'rope_scaling': " + message).str());
  };
  expect("7", "expected an object or null, got 7");
  for (StringRef kind : {"ntk", "proportional"})
    expect(("{'type': '" + kind + "'}").str(),
           ("field 'type': expected one of the supported kinds [\"default\", "
            "\"linear\", \"dynamic\", \"llama3\", \"longrope\", \"yarn\"], got "
            "\"" +
            kind + "\"")
               .str());
  expect("{'rope_type': 'linear', 'type': 'llama3', 'factor': 2}",
         "field 'type': expected the same as 'rope_type', \"linear\", got "
         "\"llama3\"");
  expect("{'rope_type': 1}", "field 'rope_type': expected a string, got 1");
  expect("{'type': 'linear'}",
         "field 'factor': expected a finite number > 0, got nothing");
  expect("{'type': 'linear', 'factor': 0}",
         "field 'factor': expected a finite number > 0, got 0");
  expect("{'type': 'linear', 'factor': 1e999}",
         "field 'factor': expected a finite number > 0, got inf");
  expect("{'factor': 2}",
         "field 'factor' is not known to this importer; it may change the "
         "result");
  expect("{'type': 'linear', 'factor': 2, 'attention_factor': 1}",
         "field 'attention_factor' is not known to this importer; it may "
         "change the result");
  expectError("'rope_scaling': {'partial_rotary_factor': 0.5}",
              "field 'partial_rotary_factor': expected 1 (nothing else is "
              "supported), got 0.5");
}

TEST(LlamaConfig, negative_llama3Scaling) {
  auto expect = [](StringRef rest, StringRef message) {
    expectError(
        ("'rope_scaling': {'rope_type': 'llama3', 'factor': 8" + rest + "}")
            .str(),
        ("field 'rope_scaling': field " + message).str());
  };
  expect("", "'low_freq_factor': expected a finite number > 0, got nothing");
  expect(", 'low_freq_factor': 1",
         "'high_freq_factor': expected a finite number > 0, got nothing");
  expect(", 'low_freq_factor': 1, 'high_freq_factor': 4",
         "'original_max_position_embeddings': expected a positive integer <= "
         "2147483647, got nothing");
  expect(", 'low_freq_factor': 4, 'high_freq_factor': 4,"
         "'original_max_position_embeddings': 8192",
         "'high_freq_factor': expected more than 'low_freq_factor', 4, got 4");
}

TEST(LlamaConfig, negative_ropeSaidTwice) {
  expectError("'rope_theta': 5, 'rope_parameters': {'rope_theta': 6}",
              "field 'rope_parameters': field 'rope_theta': expected the same "
              "as 'rope_theta' outside, 5, got 6");
  expectError("'rope_scaling': {'type': 'linear', 'factor': 2},"
              "'rope_parameters': {'rope_theta': 6}",
              "field 'rope_scaling': expected the same as 'rope_parameters', "
              "got {\"factor\":2,\"type\":\"linear\"}");
}

} // namespace
