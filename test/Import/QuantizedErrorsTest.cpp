// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders that are quantised already, and are not as they should be.

#include "test/Import/ImportLlamaTesting.h"

using namespace heddle;

namespace {

class Quantized : public ImportLlama {
protected:
  // q_proj, which has 8 inputs and outputs, in 4 bits.
  void quantize() {
    checkpoint.tensors.erase(name + ".weight");
    checkpoint.set(name + ".qweight", {1, 8}, "F32");
    checkpoint.set(name + ".qzeros", {1, 1}, "F32");
    checkpoint.set(name + ".scales", {1, 8}, "F16");
    checkpoint.set(name + ".g_idx", {8}, "F32");
    checkpoint.tensors[name + ".g_idx"].data.assign(32, '\0');
    for (const char *part : {".qweight", ".qzeros", ".g_idx"})
      checkpoint.tensors[name + part].dtype = "I32";
  }
  static std::string config(const std::string &fields) {
    return std::string(tied) + ", 'quantization_config': {" + fields + "}";
  }

  std::string name = "model.layers.0.self_attn.q_proj";
  std::string gptq = config("'quant_method': 'gptq', 'bits': 4");
};

} // namespace

TEST_F(Quantized, reads) {
  quantize();
  import(gptq);
}

TEST_F(Quantized, negative_method) {
  expectError({"field 'quantization_config': field 'quant_method': expected "
               "one of the supported methods [\"gptq\", \"awq\", "
               "\"compressed-tensors\", \"fp8\", \"mxfp4\"], got "
               "\"bitsandbytes\""},
              config("'quant_method': 'bitsandbytes'"));
  expectError({"field 'quant_method'"}, config("'bits': 4"));
}

TEST_F(Quantized, negative_fields) {
  expectError({"field 'bits': expected 2, 3, 4 or 8, got 5"},
              config("'quant_method': 'gptq', 'bits': 5"));
  expectError({"field 'checkpoint_format': expected \"gptq\" or \"gptq_v2\""},
              config("'quant_method': 'gptq', 'bits': 4, "
                     "'checkpoint_format': 'marlin'"));
  expectError({"field 'dynamic': expected {} (nothing else is supported)"},
              config("'quant_method': 'gptq', 'bits': 4, "
                     "'dynamic': {'-:lm_head': {}}"));
  expectError({"field 'version': expected \"gemm\""},
              config("'quant_method': 'awq', 'bits': 4, 'version': 'gemv'"));
  expectError({"field 'foo' is not known to this importer"},
              config("'quant_method': 'awq', 'foo': 4"));
  expectError({"field 'weight_block_size': expected two sizes"},
              config("'quant_method': 'fp8', 'weight_block_size': [128]"));
  expectError({"field 'config_groups': expected one group of layers"},
              config("'quant_method': 'compressed-tensors', "
                     "'config_groups': {}"));
  expectError({"field 'transform_config': expected {} (nothing else is "
               "supported)"},
              config("'quant_method': 'compressed-tensors', "
                     "'transform_config': {'config_groups': {}}, "
                     "'config_groups': {'group_0': {'weights': "
                     "{'num_bits': 4}}}"));
  expectError({"field 'config_groups': field 'foo' is not known to this "
               "importer"},
              config("'quant_method': 'compressed-tensors', "
                     "'config_groups': {'group_0': {'foo': 1, 'weights': "
                     "{'num_bits': 4}}}"));
}

TEST_F(Quantized, negative_tensors) {
  quantize();
  checkpoint.set(name + ".scales", {2, 8}, "F16");
  expectError({"tensor '" + name +
               ".scales': expected shape [1, 8], found "
               "[2, 8]"},
              gptq);
  checkpoint.set(name + ".scales", {1, 8}, "I8");
  expectError({"tensor '" + name +
               ".scales': expected one of the types F32, BF16, F16, found "
               "I8"},
              gptq);
  quantize();
  checkpoint.tensors.erase(name + ".qzeros");
  expectError({"tensor '" + name +
               ".qzeros': expected I32 of shape [1, 1], "
               "found no such tensor"},
              gptq);
}

TEST_F(Quantized, negative_zeros) {
  quantize();
  checkpoint.set(name + ".qweight", {1, 8}, "F32");
  checkpoint.tensors[name + ".qweight"].dtype = "I32";
  checkpoint.tensors[name + ".qzeros"].data.assign(4, '\xff');
  expectError({"tensor '" + name +
               ".qzeros': expected zeros of 1 or more, as integers of 3 bits "
               "borrow from each other's words, found one of 0"},
              config("'quant_method': 'gptq', 'bits': 3"));
}

// Matrices whose format older folders have in a file of its own.
TEST_F(Quantized, negative_no_config) {
  quantize();
  expectError({"tensor '" + name +
               ".qweight': expected a 'quantization_config' in config.json"},
              std::string(tied));
}

TEST_F(Quantized, negative_packed_bits) {
  expectError({"config.json: field 'quantization_config': field "
               "'config_groups': 'weights': field 'num_bits': expected 2, 4 "
               "or 8, where integers are packed"},
              config("'quant_method': 'compressed-tensors', 'format': "
                     "'pack-quantized', 'config_groups': {'group_0': "
                     "{'weights': {'num_bits': 3}}}"));
}

TEST_F(Quantized, negative_shape) {
  checkpoint.tensors.erase(name + ".weight");
  checkpoint.set(name + ".weight_packed", {8, 1}, "F32");
  checkpoint.tensors[name + ".weight_packed"].dtype = "I32";
  checkpoint.set(name + ".weight_scale", {8, 1}, "F16");
  checkpoint.set(name + ".weight_shape", {4}, "F32");
  auto &shape = checkpoint.tensors[name + ".weight_shape"];
  shape.dtype = "I64";
  shape.shape = {2};
  std::string numbers = "'quant_method': 'compressed-tensors', 'format': "
                        "'pack-quantized', 'config_groups': {'group_0': "
                        "{'weights': {'num_bits': 4, 'strategy': 'channel'}}}";
  shape.data.assign(16, '\0');
  shape.data[0] = shape.data[8] = 8;
  import(config(numbers));
  shape.data[8] = 7;
  expectError({"tensor '" + name +
               ".weight_shape': expected [8, 8], found "
               "[8, 7]"},
              config(numbers));
}

// A bias that nothing reads is 0.
TEST_F(Quantized, negative_bias) {
  quantize();
  checkpoint.set(name + ".bias", {8}, "F16");
  checkpoint.tensors[name + ".bias"].data.assign(16, '\0');
  import(gptq);
  checkpoint.tensors[name + ".bias"].data[3] = 1;
  expectError({"tensor '" + name +
               ".bias': expected only tensors that the model reads"},
              gptq);
}

TEST_F(Quantized, negative_order) {
  quantize();
  checkpoint.tensors[name + ".g_idx"].data[12] = 1;
  expectError({"tensor '" + name +
               ".g_idx': expected a group below 1 for input 3, found group 1"},
              gptq);
  checkpoint.set(name + ".qzeros", {2, 1}, "F32");
  checkpoint.tensors[name + ".qzeros"].dtype = "I32";
  checkpoint.set(name + ".scales", {2, 8}, "F16");
  checkpoint.tensors[name + ".g_idx"].data[12] = 0;
  expectError({"tensor '" + name +
               ".g_idx': expected one of the groups that have less than 4 "
               "inputs for input 4, found group 0"},
              config("'quant_method': 'gptq', 'bits': 4, 'group_size': 4"));
}

TEST_F(Quantized, negative_groups) {
  quantize();
  expectError({".safetensors: '" + name +
               "': expected groups that divide 8 inputs, found "
               "groups of 3"},
              config("'quant_method': 'gptq', 'bits': 4, 'group_size': 3"));
}

TEST_F(Quantized, negative_mlx) {
  auto mlx = [](const std::string &fields) {
    return std::string(tied) + ", 'quantization': {" + fields + "}";
  };
  expectError({"field 'quantization': field 'bits': expected 2, 4 or 8"},
              mlx("'group_size': 64, 'bits': 3"));
  expectError({"field 'mode': expected \"affine\" (nothing else is "
               "supported), got \"mxfp4\""},
              mlx("'group_size': 32, 'bits': 4, 'mode': 'mxfp4'"));
  expectError({"config.json: field 'quantization': field 'lm_head': field "
               "'mode': expected"},
              mlx("'group_size': 32, 'bits': 4, 'lm_head': {'bits': 8, "
                  "'group_size': 32, 'mode': 'mxfp8'}"));
  expectError({"field 'foo' is not known to this importer"},
              mlx("'group_size': 32, 'bits': 4, 'foo': 1"));
  // A layer that is not quantised has no scales.
  const std::string four = "'group_size': 8, 'bits': 4, 'lm_head': false";
  import(mlx(four));
  checkpoint.set(name + ".weight", {8, 1}, "F32");
  checkpoint.tensors[name + ".weight"].dtype = "U32";
  checkpoint.set(name + ".scales", {8, 1}, "F16");
  expectError({"tensor '" + name + ".biases'"}, mlx(four));
  checkpoint.set(name + ".biases", {8, 2}, "F16");
  expectError(
      {"tensor '" + name + ".biases': expected shape [8, 1], found [8, 2]"},
      mlx(four));
  expectError({"expected groups that divide 8 inputs, found groups of 3"},
              mlx("'group_size': 3, 'bits': 4"));
  checkpoint.set(name + ".biases", {8, 1}, "F16");
  import(mlx(four));
  // Bits and groups of the config have to be those of the tensors.
  expectError(
      {"tensor '" + name + ".weight': expected shape [8, 2], found [8, 1]"},
      mlx(four + ", '" + name + "': {'bits': 8, 'group_size': 8}"));
  expectError(
      {"tensor '" + name + ".weight': expected shape [8, 8], found [8, 1]"},
      mlx(four + ", '" + name + "': false"));
  import(mlx("'group_size': 4, 'bits': 8, '" + name +
             "': {'bits': 4, 'group_size': 8}"));
  // Fields that mlx-lm writes twice have to be the same.
  import(mlx(four) + ", 'quantization_config': {" + four + "}");
  expectError({"field 'quantization_config': expected the same as in "
               "'quantization'"},
              mlx(four) + ", 'quantization_config': {'bits': 8}");
  checkpoint.set(name + ".weight", {8, 3}, "F32");
  checkpoint.tensors[name + ".weight"].dtype = "U32";
  expectError({"tensor '" + name +
               ".weight': expected shape [8, 1], found "
               "[8, 3]"},
              mlx(four));
}
