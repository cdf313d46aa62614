// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model as a GGUF file, and what it is imported as.

#ifndef HEDDLE_TEST_IMPORT_GGUFTESTING_H
#define HEDDLE_TEST_IMPORT_GGUFTESTING_H

#include "compiler/Import/GgufModel.h"
#include "test/GgufBuilder.h"
#include "test/Import/ImportTesting.h"

#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

#include <map>

namespace heddle::test {

/// A Llama of one layer, of which tests change keys and tensors.
struct Llama {
  std::map<std::string, uint32_t> numbers = {
      {"context_length", 16},      {"embedding_length", 8},
      {"block_count", 1},          {"feed_forward_length", 12},
      {"attention.head_count", 2}, {"attention.head_count_kv", 1},
      {"rope.dimension_count", 4},
  };
  std::map<std::string, float> floats = {
      {"attention.layer_norm_rms_epsilon", 1e-5f}, {"rope.freq_base", 1e4f}};
  std::map<std::string, std::vector<uint64_t>> tensors = {
      {"token_embd.weight", {8, 6}},        {"output_norm.weight", {8}},
      {"blk.0.attn_norm.weight", {8}},      {"blk.0.attn_q.weight", {8, 8}},
      {"blk.0.attn_k.weight", {8, 4}},      {"blk.0.attn_v.weight", {8, 4}},
      {"blk.0.attn_output.weight", {8, 8}}, {"blk.0.ffn_norm.weight", {8}},
      {"blk.0.ffn_gate.weight", {8, 12}},   {"blk.0.ffn_up.weight", {8, 12}},
      {"blk.0.ffn_down.weight", {12, 8}}};
  const char *architecture = "llama";
  GgufBuilder builder; ///< with more keys

  [[nodiscard]] std::string bytes() const {
    GgufBuilder b = builder;
    b.set("general.architecture", architecture);
    std::string prefix = std::string(architecture) + ".";
    for (const auto &[key, value] : numbers)
      b.set(prefix + key, value);
    for (const auto &[key, value] : floats)
      b.set(prefix + key, value);
    for (const auto &[name, shape] : tensors) {
      uint64_t bytes = 4;
      for (uint64_t size : shape)
        bytes *= size;
      b.addTensor(name, shape, 0, std::string(bytes, '\0'));
    }
    return b.bytes();
  }
};

class GgufModelTest : public testing::Test {
protected:
  /// The module's text, or what is wrong.
  std::string import(const Llama &model) {
    folder.write("m.gguf", model.bytes());
    auto imported = importGguf(folder.path("m.gguf"), {}, context);
    if (!imported) {
      std::string message = llvm::toString(imported.takeError());
      std::string start = folder.path("m.gguf") + ": ";
      EXPECT_TRUE(llvm::StringRef(message).starts_with(start)) << message;
      return message.substr(start.size());
    }
    std::string text;
    llvm::raw_string_ostream(text) << **imported->module;
    return text;
  }

  TemporaryFolder folder;
  mlir::MLIRContext context;
};
} // namespace heddle::test

#endif // HEDDLE_TEST_IMPORT_GGUFTESTING_H
