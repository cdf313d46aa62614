// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_IMPORT_IMPORTLLAMATESTING_H
#define HEDDLE_TEST_IMPORT_IMPORTLLAMATESTING_H

#include "compiler/Import/HuggingFaceFolder.h"

#include "dialect/Heddle/HeddleDialect.h"
#include "test/Import/CheckpointTesting.h"

#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

namespace heddle {

/// A folder with a model of one layer: width 8, 2 heads of 4 channels, 1 key
/// and value head, 6 hidden channels, 5 tokens.
class ImportLlama : public testing::Test {
protected:
  ImportLlama() {
    checkpoint.set("model.embed_tokens.weight", {5, 8});
    checkpoint.set("model.norm.weight", {8});
    std::string layer = "model.layers.0.";
    checkpoint.set(layer + "input_layernorm.weight", {8});
    checkpoint.set(layer + "self_attn.q_proj.weight", {8, 8});
    checkpoint.set(layer + "self_attn.k_proj.weight", {4, 8});
    checkpoint.set(layer + "self_attn.v_proj.weight", {4, 8});
    checkpoint.set(layer + "self_attn.o_proj.weight", {8, 8});
    checkpoint.set(layer + "post_attention_layernorm.weight", {8});
    checkpoint.set(layer + "mlp.gate_proj.weight", {6, 8});
    checkpoint.set(layer + "mlp.up_proj.weight", {6, 8});
    checkpoint.set(layer + "mlp.down_proj.weight", {8, 6});
  }

  /// Writes the folder, with `fields` added to its config, and imports it.
  llvm::Expected<ImportedModel> tryImport(const std::string &fields = "",
                                          const ImportOptions &options = {}) {
    folder.write("config.json", asJson(R"({
      'architectures': ['LlamaForCausalLM'], 'model_type': 'llama',
      'hidden_size': 8, 'intermediate_size': 6, 'num_hidden_layers': 1,
      'num_attention_heads': 2, 'num_key_value_heads': 1, 'vocab_size': 5,
      'max_position_embeddings': 16, 'rms_norm_eps': 0.5,
      'bos_token_id': 1, 'eos_token_id': [2, 3])" +
                                       fields + "}"));
    folder.write("model.safetensors", checkpoint.bytes());
    return importHuggingFaceFolder(folder.path(), options, context);
  }

  /// Imports a model that is right; `tied` unless the test says otherwise.
  ImportedModel import(const std::string &fields = tied,
                       const ImportOptions &options = {}) {
    llvm::Expected<ImportedModel> model = tryImport(fields, options);
    if (!model) {
      ADD_FAILURE() << llvm::toString(model.takeError());
      std::abort();
    }
    EXPECT_TRUE(succeeded(mlir::verify(**&model->module)));
    return std::move(*model);
  }

  void expectError(std::initializer_list<llvm::StringRef> parts,
                   const std::string &fields = tied) {
    llvm::Expected<ImportedModel> model = tryImport(fields);
    ASSERT_FALSE(bool(model)) << "expected an error";
    std::string message = llvm::toString(model.takeError());
    for (llvm::StringRef part : parts)
      EXPECT_NE(message.find(part.str()), std::string::npos)
          << "expected: " << part.str() << "\nmessage:  " << message;
  }

  static std::string typeOf(ImportedModel &model, llvm::StringRef weight) {
    std::string text;
    llvm::raw_string_ostream(text)
        << model.module->lookupSymbol<WeightOp>(weight).getType();
    return text;
  }

  static std::string print(ImportedModel &model) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    model.module->print(stream);
    return text;
  }

  static void expectContains(const std::string &text,
                             std::initializer_list<const char *> parts) {
    for (const char *part : parts)
      EXPECT_NE(text.find(part), std::string::npos)
          << "expected: " << part << "\nin: " << text;
  }

  static constexpr const char *tied = R"(, 'tie_word_embeddings': true)";

  Checkpoint checkpoint;
  TemporaryFolder folder;
  mlir::MLIRContext context;
};

} // namespace heddle

#endif // HEDDLE_TEST_IMPORT_IMPORTLLAMATESTING_H
