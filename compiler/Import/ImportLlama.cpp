// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model is that of transformers' models/llama/modeling_llama.py. Every op's
// location is a name, such as "model.layers.0.self_attn.q_proj", so that
// whatever is said about the op says which layer it belongs to.

#include "compiler/Import/ImportLlama.h"

#include "compiler/Import/LlamaTensors.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
class LlamaBuilder {
public:
  LlamaBuilder(const LlamaConfig &config, const TensorSource &tensors,
               const ImportOptions &options, MLIRContext &context)
      : config(config), tensors(tensors), options(options), builder(&context),
        weights(&context), constants(&context) {}

  /// The checkpoint's tensors have been checked.
  OwningOpRef<ModuleOp> build();

private:
  // The parts of the model, from the outside to the inside. Values are
  // [batch, length, channels].
  func::FuncOp buildSignature();
  void buildBody();
  Value buildLayer(Value x, int64_t layer);
  Value buildAttention(Value x, const Twine &path, int64_t layer);
  Value buildFeedForward(Value x, const Twine &path);
  Value linear(Value x, const Twine &path, bool hasBias);
  Value rotary(Value x, const Twine &path, int64_t heads);
  Value norm(Value x, const Twine &path);

  Location at(const Twine &path) {
    return NameLoc::get(builder.getStringAttr(path));
  }
  /// The weight of that tensor in this function.
  Value weight(const Twine &tensor);
  Value biasOf(const Twine &path, bool exists) {
    return exists ? weight(path + ".bias") : Value();
  }
  Type elementType(const TensorEntry &entry);
  RopeScalingAttr ropeScaling();
  void setModuleAttributes(ModuleOp module);

  const LlamaConfig &config;
  const TensorSource &tensors;
  const ImportOptions &options;
  OpBuilder builder;   ///< ops of the function
  OpBuilder weights;   ///< heddle.weight, before the function
  OpBuilder constants; ///< heddle.weight_ref, at the start of the function
  llvm::StringMap<Value> known;
  Value ids, starts, lengths, cache, mask;
};
} // namespace

//===-- weights -----------------------------------------------------------===//

Type LlamaBuilder::elementType(const TensorEntry &entry) {
  WeightType type = options.weightType;
  if (type == WeightType::Keep || entry.shape.size() != 2)
    type = entry.type == HEDDLE_TYPE_F32    ? WeightType::F32
           : entry.type == HEDDLE_TYPE_BF16 ? WeightType::BF16
                                            : WeightType::F16;
  switch (type) {
  case WeightType::BF16:
    return builder.getBF16Type();
  case WeightType::F16:
    return builder.getF16Type();
  default:
    return builder.getF32Type();
  }
}

Value LlamaBuilder::weight(const Twine &tensor) {
  std::string name = tensor.str();
  Value &value = known[name];
  if (value)
    return value;
  const TensorEntry &entry = *tensors.find(name);
  auto type = RankedTensorType::get(entry.shape, elementType(entry));
  WeightOp::create(weights, at(name), builder.getStringAttr(name),
                   TypeAttr::get(type), builder.getStringAttr(name),
                   ElementsAttr());
  value = WeightRefOp::create(constants, at(name), type, name);
  return value;
}

//===-- layers ------------------------------------------------------------===//

Value LlamaBuilder::linear(Value x, const Twine &path, bool hasBias) {
  return LinearOp::create(builder, at(path), x, weight(path + ".weight"),
                          biasOf(path, hasBias));
}

Value LlamaBuilder::norm(Value x, const Twine &path) {
  return RMSNormOp::create(builder, at(path), x, weight(path + ".weight"),
                           APFloat(config.rmsNormEpsilon));
}

Value LlamaBuilder::rotary(Value x, const Twine &path, int64_t heads) {
  return RotaryOp::create(
      builder, at(path), x, starts, /*positionIds=*/Value(),
      /*cosines=*/Value(), /*sines=*/Value(), builder.getI64IntegerAttr(heads),
      /*rotated=*/IntegerAttr(), /*interleaved=*/UnitAttr(),
      builder.getI64IntegerAttr(config.maxPositions),
      builder.getF64FloatAttr(config.ropeTheta), ropeScaling());
}

RopeScalingAttr LlamaBuilder::ropeScaling() {
  const RopeScaling &scaling = config.ropeScaling;
  MLIRContext *context = builder.getContext();
  FloatAttr factor = builder.getF64FloatAttr(scaling.factor);
  switch (scaling.kind) {
  case RopeScaling::Kind::None:
    return {};
  case RopeScaling::Kind::Linear:
    return RopeScalingAttr::get(context, RopeScalingKind::Linear, factor);
  case RopeScaling::Kind::Llama3:
    return RopeScalingAttr::get(
        context, RopeScalingKind::Llama3, factor,
        builder.getF64FloatAttr(scaling.lowFrequencyFactor),
        builder.getF64FloatAttr(scaling.highFrequencyFactor),
        builder.getI64IntegerAttr(scaling.originalMaxPositions));
  }
  llvm_unreachable("covered switch");
}

Value LlamaBuilder::buildAttention(Value x, const Twine &path, int64_t layer) {
  std::string in = path.str();
  bool bias = config.attentionBias;
  Value query = linear(x, in + ".q_proj", bias);
  Value key = linear(x, in + ".k_proj", bias);
  Value value = linear(x, in + ".v_proj", bias);
  query = rotary(query, in + ".q_rotary", config.heads);
  key = rotary(key, in + ".k_rotary", config.kvHeads);
  cache = CacheAppendOp::create(builder, at(in + ".cache_append"), cache, key,
                                value, starts, lengths, layer);
  auto cached =
      CacheReadOp::create(builder, at(in + ".cache_read"), cache, layer);
  auto attention = AttentionOp::create(
      builder, at(in), query, cached.getKey(), cached.getValue(), mask,
      config.heads, config.kvHeads, 1 / std::sqrt(double(config.headDim)));
  return linear(attention.getResult(0), in + ".o_proj", bias);
}

Value LlamaBuilder::buildFeedForward(Value x, const Twine &path) {
  std::string in = path.str();
  bool bias = config.mlpBias;
  return GatedFeedForwardOp::create(
      builder, at(in), ActivationKind::Silu, x,
      weight(in + ".gate_proj.weight"), weight(in + ".up_proj.weight"),
      weight(in + ".down_proj.weight"), biasOf(in + ".gate_proj", bias),
      biasOf(in + ".up_proj", bias), biasOf(in + ".down_proj", bias));
}

Value LlamaBuilder::buildLayer(Value x, int64_t layer) {
  std::string in = "model.layers." + std::to_string(layer);
  Value normed = norm(x, in + ".input_layernorm");
  Value attention = buildAttention(normed, in + ".self_attn", layer);
  x = arith::AddFOp::create(builder, at(in + ".self_attn.residual"), x,
                            attention);
  normed = norm(x, in + ".post_attention_layernorm");
  Value feedForward = buildFeedForward(normed, in + ".mlp");
  return arith::AddFOp::create(builder, at(in + ".mlp.residual"), x,
                               feedForward);
}

//===-- function and module -----------------------------------------------===//

func::FuncOp LlamaBuilder::buildSignature() {
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  int64_t any = ShapedType::kDynamic;
  auto counts = RankedTensorType::get({any}, i32);
  auto cacheType = CacheType::get(builder.getContext(), config.layers,
                                  config.kvHeads, config.headDim, f32);
  auto type = builder.getFunctionType(
      {RankedTensorType::get({any, any}, i32), counts, counts, cacheType},
      {RankedTensorType::get({any, config.vocabularySize}, f32), cacheType});
  auto function = func::FuncOp::create(builder, at("forward"), "forward", type);
  function->setAttr(kDecoderAttr, builder.getStringAttr("length"));

  auto describe = [&](unsigned index, StringRef name,
                      ArrayRef<StringRef> sizes) {
    function.setArgAttr(index, kNameAttr, builder.getStringAttr(name));
    function.setArgAttr(index, kSizesAttr, builder.getStrArrayAttr(sizes));
  };
  describe(0, "ids", {"batch", "length"});
  describe(1, "starts", {"batch"});
  describe(2, "lengths", {"batch"});
  describe(3, "cache", {"batch", "capacity"});
  function.setResultAttr(0, kNameAttr, builder.getStringAttr("logits"));
  function.setResultAttr(1, kNameAttr, builder.getStringAttr("cache"));
  return function;
}

void LlamaBuilder::buildBody() {
  // Keys up to the query itself, and among them those that were appended.
  Value totals =
      arith::AddIOp::create(builder, at("model.totals"), starts, lengths);
  constants.setInsertionPoint(totals.getDefiningOp());
  Value causal = CausalMaskOp::create(builder, at("model.mask.causal"), starts,
                                      AlignmentAttr(), /*plus=*/SizeAttr());
  Value valid =
      LengthsMaskOp::create(builder, at("model.mask.lengths"), totals);
  mask = AndMaskOp::create(builder, at("model.mask"), causal, valid);

  Value embedding = weight(kEmbeddingTensor);
  Value x =
      EmbeddingOp::create(builder, at("model.embed_tokens"), ids, embedding);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    x = buildLayer(x, layer);
  Value last = LastTokenOp::create(builder, at("model.last_token"), x, lengths);
  Value normed = norm(last, "model.norm");
  Value head = config.tieWordEmbeddings ? embedding : weight(kHeadTensor);
  Value logits =
      LinearOp::create(builder, at("lm_head"), normed, head, /*bias=*/Value());
  func::ReturnOp::create(builder, at("forward"), ValueRange{logits, cache});
}

void LlamaBuilder::setModuleAttributes(ModuleOp module) {
  module->setAttr(kNameAttr, builder.getStringAttr(options.name));
  module->setAttr(kPositionsAttr,
                  builder.getI64IntegerAttr(config.maxPositions));
  SmallVector<int64_t> bos;
  if (config.bosToken)
    bos.push_back(*config.bosToken);
  module->setAttr(kBosAttr, builder.getDenseI64ArrayAttr(bos));
  module->setAttr(kEosAttr, builder.getDenseI64ArrayAttr(config.eosTokens));
}

OwningOpRef<ModuleOp> LlamaBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, at(options.name));
  setModuleAttributes(*module);
  builder.setInsertionPointToEnd(module->getBody());
  func::FuncOp function = buildSignature();
  weights.setInsertionPoint(function);
  Block *body = function.addEntryBlock();
  ids = body->getArgument(0);
  starts = body->getArgument(1);
  lengths = body->getArgument(2);
  cache = body->getArgument(3);

  builder.setInsertionPointToEnd(body);
  buildBody();
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
heddle::importLlama(const LlamaConfig &config, const TensorSource &tensors,
                    const ImportOptions &options, MLIRContext &context) {
  if (llvm::Error error = checkLlamaTensors(config, tensors))
    return error;
  context.loadDialect<func::FuncDialect, arith::ArithDialect, HeddleDialect>();
  return LlamaBuilder(config, tensors, options, context).build();
}
