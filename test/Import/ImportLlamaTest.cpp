// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/ImportLlamaTesting.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace heddle;

namespace {

TEST_F(ImportLlama, buildsTheModel) {
  ImportedModel model = import();
  EXPECT_NE(model.tensors->find("model.norm.weight"), nullptr);
  expectContains(
      print(model),
      {R"(func.func @forward(%arg0: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]})",
       R"(%arg1: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]})",
       R"(%arg2: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})",
       R"(%arg3: !heddle.cache<1 x 1 x 4 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})",
       R"(-> (tensor<?x5xf32> {heddle.name = "logits", heddle.role = #heddle.role<logits>}, !heddle.cache<1 x 1 x 4 x f32> {heddle.name = "cache"}))",
       "attributes {heddle.decoder = \"length\"}", "epsilon(5.000000e-01)",
       "heads(2) positions(16) base(1.000000e+04)",
       "heads(1) positions(16) base(1.000000e+04)",
       "heads(2, kv = 1) scale(5.000000e-01)",
       R"(heddle.weight @model.layers.0.mlp.up_proj.weight from "model.layers.0.mlp.up_proj.weight" : tensor<6x8xf32>)"});
}

TEST_F(ImportLlama, describesTheModule) {
  ImportedModel model = import(tied, {WeightType::Keep, "test"});
  mlir::Operation *module = *model.module;
  mlir::Builder builder(&context);
  EXPECT_EQ(module->getAttr("heddle.name"), builder.getStringAttr("test"));
  EXPECT_EQ(module->getAttr("heddle.positions"), builder.getI64IntegerAttr(16));
  EXPECT_EQ(module->getAttr("heddle.bos"), builder.getDenseI64ArrayAttr({1}));
  EXPECT_EQ(module->getAttr("heddle.eos"),
            builder.getDenseI64ArrayAttr({2, 3}));

  ImportedModel unnamed = import();
  EXPECT_EQ((*unnamed.module)->getAttr("heddle.name"),
            builder.getStringAttr(llvm::sys::path::filename(folder.path())));
}

TEST_F(ImportLlama, namesTheLocationOfEveryOp) {
  ImportedModel model = import();
  std::set<std::string> names;
  model.module->walk([&](mlir::Operation *op) {
    auto name = llvm::dyn_cast<mlir::NameLoc>(op->getLoc());
    ASSERT_TRUE(name) << op->getName().getStringRef().str();
    names.insert(name.getName().str());
  });
  for (const char *expected :
       {"model.embed_tokens", "model.layers.0.self_attn.q_proj",
        "model.layers.0.self_attn", "model.layers.0.mlp", "model.norm",
        "lm_head", "model.layers.0.mlp.up_proj.weight"})
    EXPECT_TRUE(names.count(expected)) << expected;
}

TEST_F(ImportLlama, putsWeightsFirst) {
  ImportedModel model = import();
  auto function = model.module->lookupSymbol<mlir::func::FuncOp>("forward");
  bool inFront = true;
  for (mlir::Operation &op : function.front()) {
    if (!llvm::isa<WeightRefOp>(op))
      inFront = false;
    else
      EXPECT_TRUE(inFront);
  }
  // One for each tensor: the embedding is also the head.
  EXPECT_EQ(llvm::range_size(function.getOps<WeightRefOp>()), 11);
}

TEST_F(ImportLlama, keepsOrChangesTheTypesOfMatrices) {
  const char *matrix = "model.layers.0.self_attn.q_proj.weight";
  const char *embedding = "model.embed_tokens.weight";
  checkpoint.set(matrix, {8, 8}, "BF16");
  checkpoint.set("model.norm.weight", {8}, "F16");
  ImportedModel kept = import();
  EXPECT_EQ(typeOf(kept, matrix), "tensor<8x8xbf16>");
  EXPECT_EQ(typeOf(kept, embedding), "tensor<5x8xf32>");
  std::pair<WeightType, std::string> types[] = {{WeightType::F32, "f32"},
                                                {WeightType::BF16, "bf16"},
                                                {WeightType::F16, "f16"}};
  for (const auto &[type, name] : types) {
    ImportedModel model = import(tied, {type, ""});
    EXPECT_EQ(typeOf(model, matrix), "tensor<8x8x" + name + ">");
    EXPECT_EQ(typeOf(model, embedding), "tensor<5x8x" + name + ">");
    EXPECT_EQ(typeOf(model, "model.norm.weight"), "tensor<8xf16>");
    EXPECT_EQ(typeOf(model, "model.layers.0.input_layernorm.weight"),
              "tensor<8xf32>");
  }
}

TEST_F(ImportLlama, readsAHeadOfItsOwn) {
  checkpoint.set("lm_head.weight", {5, 8}, "BF16");
  ImportedModel model = import("");
  auto function = model.module->lookupSymbol<mlir::func::FuncOp>("forward");
  mlir::Value logits = function.front().getTerminator()->getOperand(0);
  auto head = logits.getDefiningOp<LinearOp>().getWeight();
  EXPECT_EQ(head.getDefiningOp<WeightRefOp>().getWeight(), "lm_head.weight");
  EXPECT_EQ(typeOf(model, "lm_head.weight"), "tensor<5x8xbf16>");
}

TEST_F(ImportLlama, readsBiases) {
  std::string layer = "model.layers.0.";
  for (const auto &[name, size] :
       std::map<std::string, int64_t>{{"self_attn.q_proj", 8},
                                      {"self_attn.k_proj", 4},
                                      {"self_attn.v_proj", 4},
                                      {"self_attn.o_proj", 8},
                                      {"mlp.gate_proj", 6},
                                      {"mlp.up_proj", 6},
                                      {"mlp.down_proj", 8}})
    checkpoint.set(layer + name + ".bias", {size}, "BF16");
  ImportedModel model =
      import(std::string(tied) + ", 'attention_bias': true, 'mlp_bias': true",
             {WeightType::F32, ""});
  auto function = model.module->lookupSymbol<mlir::func::FuncOp>("forward");
  for (LinearOp linear : function.getOps<LinearOp>()) {
    mlir::Value bias = linear.getBias();
    bool isHead =
        llvm::cast<mlir::NameLoc>(linear.getLoc()).getName() == "lm_head";
    EXPECT_EQ(bool(bias), !isHead);
    if (bias) {
      EXPECT_EQ(bias.getDefiningOp<WeightRefOp>().getWeight().str(),
                llvm::cast<mlir::NameLoc>(linear.getLoc()).getName().str() +
                    ".bias");
    }
  }
  auto feedForward = *function.getOps<GatedFeedForwardOp>().begin();
  EXPECT_EQ(feedForward.getDownBias().getDefiningOp<WeightRefOp>().getWeight(),
            "model.layers.0.mlp.down_proj.bias");
  EXPECT_EQ(typeOf(model, "model.layers.0.mlp.up_proj.bias"), "tensor<6xbf16>");
}

TEST_F(ImportLlama, readsRopeScaling) {
  ImportedModel linear =
      import(std::string(tied) +
             ", 'rope_scaling': {'type': 'linear', 'factor': 2.0}");
  expectContains(print(linear), {"scaling(<linear, factor = 2.000000e+00>)"});
  ImportedModel llama3 =
      import(std::string(tied) +
             R"(, 'rope_scaling': {'rope_type': 'llama3', 'factor': 4.0,
          'low_freq_factor': 1.0, 'high_freq_factor': 8.0,
          'original_max_position_embeddings': 4})");
  expectContains(print(llama3), {"scaling(<llama3, factor = 4.000000e+00, "
                                 "low = 1.000000e+00, "
                                 "high = 8.000000e+00, original = 4>)"});
}

TEST_F(ImportLlama, acceptsWhatDoesNoHarm) {
  checkpoint.set("model.layers.0.self_attn.rotary_emb.inv_freq", {2}, "I8");
  checkpoint.tensors["lm_head.weight"] =
      checkpoint.tensors["model.embed_tokens.weight"];
  ImportedModel model = import();
  EXPECT_FALSE(model.module->lookupSymbol("lm_head.weight"));
}

} // namespace
