// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.encoder_layer %x from("l") norm(pre) ...
//   -> %y = %x + multi_head_attention(norm(%x)); %y + feed_forward(norm(%y))

#include "compiler/Prepare/AttentionProjections.h"
#include "compiler/Prepare/LayerParameters.h"
#include "compiler/Prepare/Passes.h"
#include "dialect/Heddle/LayerBuilders.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace heddle {
#define GEN_PASS_DEF_EXPANDLAYERS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// Makes what one op means.
class LayerExpansion {
public:
  template <typename Op>
  LayerExpansion(Op op, SymbolTable &symbols, OpBuilder &builder)
      : op(op), b(builder), parameters(op, symbols, builder),
        heads(op.getHeads()), kvHeads(op.getKvHeads().value_or(heads)),
        order(op.getNorm()),
        normKind(op.getNormKind().value_or(NormKind::Layer)),
        activation(op.getActivationAttr()), epsilon(op.getEpsilonAttr()) {}

  FailureOr<Value> expand(EncoderLayerOp op) {
    appendTo(op, op.getLayer().value_or(0));
    return finish(encoderLayer(op.getInput(), ownAttention(op), op.getPrefix()),
                  {op.getPrefix()});
  }
  FailureOr<Value> expand(DecoderLayerOp op) {
    appendTo(op, op.getLayer().value_or(0));
    return finish(decoderLayer(op.getInput(), op.getMemory(), ownAttention(op),
                               memoryAttention(op), op.getPrefix()),
                  {op.getPrefix()});
  }
  FailureOr<Value> expand(EncoderOp op) {
    appendTo(op, 0);
    return finish(encoder(op.getInput(), ownAttention(op), op.getLayers(),
                          op.getPrefix()),
                  {op.getPrefix()});
  }
  FailureOr<Value> expand(DecoderOp op) {
    appendTo(op, 0);
    return finish(decoder(op.getInput(), op.getMemory(), ownAttention(op),
                          memoryAttention(op), op.getLayers(), op.getPrefix()),
                  {op.getPrefix()});
  }
  FailureOr<Value> expand(EncoderDecoderOp op);

  /// The cache with what all layers have appended to it, or null.
  Value getCache() const { return cache; }

private:
  using MakeValue = llvm::function_ref<FailureOr<Value>(Value)>;

  /// Options of the attention of all layers; weights are those of each.
  struct Options {
    Value mask;
    ValueRange scoreOperands;
    Region *score;
    bool isCached = false;
  };
  template <typename Op> static Options ownAttention(Op op) {
    return {op.getMask(), op.getScoreOperands(), &op.getScore(),
            bool(op.getCache())};
  }
  template <typename Op> static Options memoryAttention(Op op) {
    return {op.getMemoryMask(), op.getMemoryScoreOperands(),
            &op.getMemoryScore()};
  }
  /// Lets the next layer have this one of the op's cache.
  template <typename Op> void appendTo(Op op, int64_t layer) {
    cache = op.getCache();
    starts = op.getStarts();
    lengths = op.getLengths();
    cacheLayer = layer;
  }

  FailureOr<Value> encoderLayer(Value x, const Options &own, StringRef prefix);
  FailureOr<Value> decoderLayer(Value x, Value memory, const Options &own,
                                const Options &ofMemory, StringRef prefix);
  FailureOr<Value> encoder(Value x, const Options &own, int64_t layers,
                           StringRef prefix);
  FailureOr<Value> decoder(Value x, Value memory, const Options &own,
                           const Options &ofMemory, int64_t layers,
                           StringRef prefix);
  FailureOr<Value> step(Value x, StringRef prefix, unsigned index,
                        MakeValue make);
  FailureOr<Value> norm(Value x, StringRef prefix);
  FailureOr<Value> finalNorm(Value x, StringRef prefix);
  FailureOr<Value> attention(Value x, Value memory, const Options &options,
                             StringRef prefix);
  FailureOr<Value> feedForward(Value x, StringRef prefix);
  FailureOr<Value> project(Value x, StringRef prefix);
  FailureOr<Value> finish(FailureOr<Value> result,
                          ArrayRef<StringRef> prefixes);

  Operation *op;
  OpBuilder &b;
  LayerParameters parameters;
  int64_t heads, kvHeads;
  NormOrder order;
  NormKind normKind;
  ActivationKindAttr activation;
  FloatAttr epsilon;
  Value cache, starts, lengths;
  int64_t cacheLayer = 0;
};

} // namespace

//===-- Stacks of layers --------------------------------------------------===//

// Of weights that begin with an empty prefix nothing is known.
FailureOr<Value> LayerExpansion::finish(FailureOr<Value> result,
                                        ArrayRef<StringRef> prefixes) {
  if (failed(result))
    return failure();
  for (StringRef prefix : prefixes)
    if (!prefix.empty() && failed(parameters.checkAllTaken(prefix)))
      return failure();
  return result;
}

FailureOr<Value> LayerExpansion::encoder(Value x, const Options &own,
                                         int64_t layers, StringRef prefix) {
  FailureOr<Value> y = x;
  for (int64_t i = 0; i < layers && succeeded(y); ++i)
    y = encoderLayer(*y, own, joinNames(prefix, "layers." + Twine(i)));
  return failed(y) ? y : finalNorm(*y, prefix);
}

FailureOr<Value> LayerExpansion::decoder(Value x, Value memory,
                                         const Options &own,
                                         const Options &ofMemory,
                                         int64_t layers, StringRef prefix) {
  FailureOr<Value> y = x;
  for (int64_t i = 0; i < layers && succeeded(y); ++i)
    y = decoderLayer(*y, memory, own, ofMemory,
                     joinNames(prefix, "layers." + Twine(i)));
  return failed(y) ? y : finalNorm(*y, prefix);
}

FailureOr<Value> LayerExpansion::expand(EncoderDecoderOp op) {
  StringRef prefix = op.getPrefix();
  std::string first = joinNames(prefix, "encoder"),
              second = joinNames(prefix, "decoder");
  Options ofSource{op.getSourceMask(), op.getSourceScoreOperands(),
                   &op.getSourceScore()};
  Options ofTarget{op.getTargetMask(), op.getTargetScoreOperands(),
                   &op.getTargetScore()};
  FailureOr<Value> y =
      encoder(op.getSource(), ofSource, op.getEncoderLayers(), first);
  if (succeeded(y))
    y = decoder(op.getTarget(), *y, ofTarget, memoryAttention(op),
                op.getDecoderLayers(), second);
  SmallVector<StringRef> prefixes{first, second, prefix};
  if (succeeded(y) && op.getProjection()) {
    y = project(*y, *op.getProjection());
    prefixes.push_back(*op.getProjection());
  }
  y = finish(y, prefixes);
  if (failed(y))
    return failure();
  if (op.getSoftmax())
    y = Value(SoftmaxOp::create(b, op.getLoc(), y->getType(), *y, /*axis=*/2));
  if (y->getType() != op.getType())
    return op.emitOpError("expected a result of type ")
           << y->getType() << ", found " << op.getType();
  return y;
}

// linear(x, W, b)
FailureOr<Value> LayerExpansion::project(Value x, StringRef prefix) {
  FailureOr<WeightOp> weight =
      parameters.take(joinNames(prefix, "weight"), {kAny, channels(x)});
  if (failed(weight))
    return failure();
  FailureOr<Value> bias =
      parameters.getOptional(joinNames(prefix, "bias"), {rows(*weight)});
  if (failed(bias))
    return failure();
  Value whole = parameters.getRows(*weight, 0, rows(*weight));
  return Value(LinearOp::create(b, op->getLoc(), x, whole, *bias));
}

//===-- Layers ------------------------------------------------------------===//

FailureOr<Value> LayerExpansion::encoderLayer(Value x, const Options &own,
                                              StringRef prefix) {
  FailureOr<Value> y = step(x, prefix, 1, [&](Value in) {
    return attention(in, in, own, joinNames(prefix, "self_attn"));
  });
  if (failed(y))
    return failure();
  return step(*y, prefix, 2, [&](Value in) { return feedForward(in, prefix); });
}

FailureOr<Value> LayerExpansion::decoderLayer(Value x, Value memory,
                                              const Options &own,
                                              const Options &ofMemory,
                                              StringRef prefix) {
  FailureOr<Value> y = step(x, prefix, 1, [&](Value in) {
    return attention(in, in, own, joinNames(prefix, "self_attn"));
  });
  if (failed(y))
    return failure();
  y = step(*y, prefix, 2, [&](Value in) {
    return attention(in, memory, ofMemory, joinNames(prefix, "multihead_attn"));
  });
  if (failed(y))
    return failure();
  return step(*y, prefix, 3, [&](Value in) { return feedForward(in, prefix); });
}

// post: norm(x + f(x)); pre: x + f(norm(x)); sandwich: x + norm(f(norm(x)))
FailureOr<Value> LayerExpansion::step(Value x, StringRef prefix, unsigned index,
                                      MakeValue make) {
  auto orNull = [](FailureOr<Value> value) {
    return succeeded(value) ? *value : Value();
  };
  auto normOf = [&](Value y, StringRef name) {
    return orNull(norm(y, joinNames(prefix, name + Twine(index))));
  };
  auto byName = [&](Value y) { return normOf(y, "norm"); };
  auto byPostName = [&](Value y) { return normOf(y, "post_norm"); };
  auto compute = [&](Value y) { return orNull(make(y)); };
  Branch branch{nullptr, compute, nullptr, nullptr};
  (order == NormOrder::Post ? branch.normOfSum : branch.normBefore) = byName;
  if (order == NormOrder::Sandwich)
    branch.normBehind = byPostName;
  Value sum = addBranch(b, op->getLoc(), x, branch);
  if (!sum)
    return failure();
  return sum;
}

FailureOr<Value> LayerExpansion::norm(Value x, StringRef prefix) {
  FailureOr<Value> weight =
      parameters.get(joinNames(prefix, "weight"), {channels(x)});
  FailureOr<Value> bias = Value();
  if (succeeded(weight) && normKind == NormKind::Layer)
    bias = parameters.getOptional(joinNames(prefix, "bias"), {channels(x)});
  if (failed(weight) || failed(bias))
    return failure();
  return createNorm(b, op->getLoc(), normKind, x, *weight, *bias, epsilon);
}

FailureOr<Value> LayerExpansion::finalNorm(Value x, StringRef prefix) {
  std::string name = joinNames(prefix, "norm");
  return parameters.has(joinNames(name, "weight")) ? norm(x, name) : x;
}

FailureOr<Value> LayerExpansion::feedForward(Value x, StringRef prefix) {
  auto named = [&](StringRef name) { return joinNames(prefix, name); };
  int64_t width = channels(x);
  FailureOr<Value> up = parameters.get(named("linear1.weight"), {kAny, width});
  if (failed(up))
    return failure();
  int64_t hidden = cast<RankedTensorType>(up->getType()).getDimSize(0);
  FailureOr<Value> down =
      parameters.get(named("linear2.weight"), {width, hidden});
  FailureOr<Value> gate =
      parameters.getOptional(named("linear_gate.weight"), {hidden, width});
  if (failed(down) || failed(gate))
    return failure();
  // Biases are those of all or of none.
  bool hasBiases = false;
  for (StringRef name : {"linear1.bias", "linear2.bias", "linear_gate.bias"})
    hasBiases |= parameters.has(named(name));
  auto bias = [&](StringRef name, int64_t size) {
    return hasBiases ? parameters.get(named(name), {size})
                     : FailureOr<Value>(Value());
  };
  FailureOr<Value> upBias = bias("linear1.bias", hidden),
                   downBias = bias("linear2.bias", width), gateBias = Value();
  if (succeeded(upBias) && succeeded(downBias) && *gate)
    gateBias = bias("linear_gate.bias", hidden);
  if (failed(upBias) || failed(downBias) || failed(gateBias))
    return failure();
  return createFeedForward(b, op->getLoc(), x, activation.getValue(),
                           {*gate, *up, *down, *gateBias, *upBias, *downBias});
}

FailureOr<Value> LayerExpansion::attention(Value x, Value memory,
                                           const Options &options,
                                           StringRef prefix) {
  auto named = [&](StringRef name) { return joinNames(prefix, name); };
  FailureOr<AttentionProjections> in =
      findProjections(op, parameters, prefix, x, memory, heads, kvHeads);
  if (failed(in))
    return failure();
  FailureOr<Value> out =
      parameters.get(named("out_proj.weight"), {channels(x), in->outputs});
  if (failed(out))
    return failure();
  FailureOr<Value> outBias =
      parameters.getOptional(named("out_proj.bias"), {channels(x)});
  if (failed(outBias))
    return failure();
  FailureOr<Value> queryNorm = Value(), keyNorm = Value();
  if (parameters.has(named("q_norm.weight")) ||
      parameters.has(named("k_norm.weight"))) {
    queryNorm = parameters.get(named("q_norm.weight"), {in->headDim});
    keyNorm = parameters.get(named("k_norm.weight"), {in->headDim});
    if (failed(queryNorm) || failed(keyNorm))
      return failure();
  }
  auto ifCached = [&](auto value) {
    return options.isCached ? value : decltype(value)();
  };
  auto attention = MultiHeadAttentionOp::create(
      b, op->getLoc(), x, memory, memory, options.mask, ifCached(cache),
      ifCached(starts), ifCached(lengths), in->query, in->queryBias, in->key,
      in->keyBias, in->value, in->valueBias, in->combined, in->combinedBias,
      *out, *outBias, *queryNorm, *keyNorm, options.scoreOperands,
      ifCached(b.getI64IntegerAttr(cacheLayer)), b.getI64IntegerAttr(heads),
      b.getI64IntegerAttr(kvHeads),
      /*epsilon=*/*queryNorm ? epsilon : FloatAttr(),
      /*scale=*/FloatAttr(), /*wanted=*/ArrayAttr());
  IRMapping mapping;
  options.score->cloneInto(&attention.getScore(), mapping);
  if (options.isCached) {
    cache = attention.getResult(1);
    ++cacheLayer;
  }
  return attention.getResult(0);
}

namespace {
struct ExpandLayers : heddle::impl::ExpandLayersBase<ExpandLayers> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<Operation *> layers;
    getOperation().walk([&](Operation *op) {
      if (isa<EncoderLayerOp, DecoderLayerOp, EncoderOp, DecoderOp,
              EncoderDecoderOp>(op))
        layers.push_back(op);
    });
    bool hasEmptyPrefix = llvm::any_of(layers, [](Operation *op) {
      return op->getAttrOfType<StringAttr>("prefix").empty();
    });
    for (Operation *op : layers) {
      OpBuilder builder(op);
      auto expand = [&](auto layer) {
        LayerExpansion expansion(layer, symbols, builder);
        FailureOr<Value> result = expansion.expand(layer);
        if (failed(result))
          return failure();
        op->getResult(0).replaceAllUsesWith(*result);
        if (op->getNumResults() > 1)
          op->getResult(1).replaceAllUsesWith(expansion.getCache());
        op->erase();
        return success();
      };
      if (failed(llvm::TypeSwitch<Operation *, LogicalResult>(op)
                     .Case<EncoderLayerOp, DecoderLayerOp, EncoderOp, DecoderOp,
                           EncoderDecoderOp>(expand)))
        return signalPassFailure();
    }
    if (hasEmptyPrefix && failed(checkAllUsed()))
      signalPassFailure();
  }

private:
  // A layer of the empty prefix takes weights of any name.
  LogicalResult checkAllUsed() {
    llvm::DenseSet<StringAttr> used;
    getOperation().walk([&](WeightRefOp reference) {
      used.insert(reference.getWeightAttr().getAttr());
    });
    for (auto weight : getOperation().getOps<WeightOp>())
      if (!used.contains(weight.getSymNameAttr()))
        return weight.emitOpError(
            "expected to be used by a layer or a function");
    return success();
  }
};
} // namespace
