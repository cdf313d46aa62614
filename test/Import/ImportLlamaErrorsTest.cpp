// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/ImportLlamaTesting.h"

using namespace heddle;

namespace {

class ImportLlamaErrors : public ImportLlama {};

TEST_F(ImportLlamaErrors, negative_missingTensor) {
  checkpoint.tensors.erase("model.layers.0.mlp.up_proj.weight");
  expectError({folder.path("model.safetensors") +
               ": tensor 'model.layers.0.mlp.up_proj.weight': expected shape "
               "[6, 8], found no such tensor"});
}

TEST_F(ImportLlamaErrors, negative_missingHead) {
  expectError({"tensor 'lm_head.weight': expected shape [5, 8], found no such "
               "tensor ('tie_word_embeddings' is false)"},
              "");
}

TEST_F(ImportLlamaErrors, negative_missingBias) {
  expectError({"tensor 'model.layers.0.self_attn.q_proj.bias': expected shape "
               "[8], found no such tensor"},
              std::string(tied) + ", 'attention_bias': true");
}

TEST_F(ImportLlamaErrors, negative_extraTensor) {
  checkpoint.set("model.layers.1.input_layernorm.weight", {8});
  expectError(
      {folder.path("model.safetensors") +
       ": tensor 'model.layers.1.input_layernorm.weight': expected only "
       "tensors that the model reads, found one that it does not, of "
       "shape [8]"});
  checkpoint.tensors.erase("model.layers.1.input_layernorm.weight");
  // A bias that the configuration does not know.
  checkpoint.set("model.layers.0.self_attn.q_proj.bias", {8});
  expectError(
      {"tensor 'model.layers.0.self_attn.q_proj.bias'", "found one that"});
}

TEST_F(ImportLlamaErrors, negative_shape) {
  checkpoint.set("model.layers.0.self_attn.k_proj.weight", {8, 8});
  expectError(
      {"tensor 'model.layers.0.self_attn.k_proj.weight': expected shape "
       "[4, 8], found [8, 8]"});
  checkpoint.set("model.layers.0.self_attn.k_proj.weight", {32});
  expectError({"expected shape [4, 8], found [32]"});
}

TEST_F(ImportLlamaErrors, negative_type) {
  checkpoint.set("model.norm.weight", {8}, "I8");
  expectError(
      {"tensor 'model.norm.weight': expected one of the types F32, BF16, "
       "F16, found I8"});
}

TEST_F(ImportLlamaErrors, negative_tiedHeadDiffers) {
  std::string start = "tensor 'lm_head.weight': expected the same as "
                      "'model.embed_tokens.weight', which it repeats, found ";
  checkpoint.set("lm_head.weight", {5, 8}); // the bytes differ
  expectError({start + "other values"});
  checkpoint.set("lm_head.weight", {5, 8}, "BF16");
  expectError({start + "type BF16 instead of F32"});
  checkpoint.set("lm_head.weight", {8, 5});
  expectError({start + "shape [8, 5] instead of [5, 8]"});
}

TEST_F(ImportLlamaErrors, negative_folder) {
  checkpoint.tensors.clear();
  expectError({folder.path("model.safetensors") +
               ": tensor 'model.embed_tokens.weight': expected shape [5, 8], "
               "found no such tensor"});
  llvm::Expected<ImportedModel> model =
      importHuggingFaceFolder(folder.path("none"), {}, context);
  ASSERT_FALSE(bool(model));
  EXPECT_NE(llvm::toString(model.takeError()).find("config.json"),
            std::string::npos);
}

} // namespace
