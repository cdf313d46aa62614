// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/StageBuilder.h"

#include "compiler/Import/Models/FeedForwardBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

Value StageBuilder::build(Value tokens, const ResultDescription &result) {
  path = "model." + result.name;
  Value sum;
  for (const std::vector<ResultStage> &stages : result.branches) {
    Value x = tokens;
    for (const ResultStage &stage : stages)
      x = std::visit([&](const auto &s) { return apply(x, s); }, stage);
    sum = sum ? m.add(sum, x, path) : x;
  }
  return m.scaled(sum, 1 / double(result.branches.size()), path);
}

//===-- pooling -----------------------------------------------------------===//

static RankedTensorType typeOf(Value x) {
  return cast<RankedTensorType>(x.getType());
}

static SizeAttr number(Value x, int64_t value) {
  return SizeAttr::number(x.getContext(), value);
}

Value StageBuilder::tokenAt(Value x, SizeAttr place) {
  RankedTensorType type = typeOf(x);
  int64_t channels = type.getDimSize(2);
  Sizes sizes = {SizeAttr::symbol(x.getContext(), "batch"), number(x, 1),
                 number(x, channels)};
  Sizes offsets = {number(x, 0), place, number(x, 0)};
  auto slice = SliceOp::create(
      m.b, m.at(path), type.clone({ShapedType::kDynamic, 1, channels}), x,
      toArray(x.getContext(), offsets), toArray(x.getContext(), sizes),
      m.b.getDenseI64ArrayAttr({1, 1, 1}));
  return withoutTokens(slice);
}

// [batch, 1, channels] -> [batch, channels]
Value StageBuilder::withoutTokens(Value x) {
  RankedTensorType type = typeOf(x);
  return SqueezeOp::create(m.b, m.at(path),
                           type.clone({type.getDimSize(0), type.getDimSize(2)}),
                           x, m.b.getDenseI64ArrayAttr({1}));
}

Value StageBuilder::apply(Value x, const PoolStage &stage) {
  SmallVector<Value> parts;
  for (PoolingKind kind : stage.kinds)
    parts.push_back(pool(x, kind, stage.number));
  return parts.size() == 1 ? parts.front() : m.concat(parts, 1);
}

Value StageBuilder::pool(Value x, PoolingKind kind, int64_t number) {
  auto over = [&](ReductionKind reduction) {
    return PoolTokensOp::create(m.b, m.at(path), reduction, x, lengths);
  };
  switch (kind) {
  case PoolingKind::Token:
    return tokenAt(x, SizeAttr::number(x.getContext(), number));
  case PoolingKind::Last:
    if (!lengths)
      return tokenAt(x, SizeAttr::symbol(x.getContext(), "length") -
                            SizeAttr::number(x.getContext(), 1));
    return LastTokenOp::create(m.b, m.at(path), x, lengths);
  case PoolingKind::Mean:
    return over(ReductionKind::Mean);
  case PoolingKind::Maximum:
    return over(ReductionKind::Max);
  case PoolingKind::MeanSqrtLength: {
    Value root = math::SqrtOp::create(m.b, m.at(path), countOfTokens());
    return m.multiply(over(ReductionKind::Mean), expanded(root), path);
  }
  case PoolingKind::WeightedMean:
    return weightedMean(x);
  case PoolingKind::FirstId:
  case PoolingKind::LargestId:
    return tokenOfId(x, kind, number);
  }
  llvm_unreachable("covered switch");
}

// [batch], of f32
Value StageBuilder::countOfTokens() {
  return CastOp::create(m.b, m.at(path),
                        typeOf(lengths).clone(m.b.getF32Type()), lengths);
}

// The sum of (s + 1) x[b, s, c] over n (n + 1) / 2, of n tokens.
Value StageBuilder::weightedMean(Value x) {
  Location loc = m.at(path);
  Type f32 = m.b.getF32Type();
  auto numbers = RankedTensorType::get({ShapedType::kDynamic, 1}, f32);
  Sizes sizes = {SizeAttr::symbol(x.getContext(), "length"), number(x, 1)};
  Value place = IotaOp::create(m.b, loc, numbers, /*axis=*/0,
                               toArray(x.getContext(), sizes));
  Value one = m.constant({1});
  Value sum = PoolTokensOp::create(
      m.b, loc, ReductionKind::Sum,
      m.multiply(x, m.plus(place, one, path), path), lengths);
  Value count = countOfTokens();
  Value total = m.multiply(count, m.plus(count, one, path), path);
  return m.divide(sum, expanded(m.scaled(total, 0.5, path)), path);
}

// [batch] -> [batch, 1]
Value StageBuilder::expanded(Value x) {
  return ExpandOp::create(m.b, m.at(path),
                          typeOf(x).clone({ShapedType::kDynamic, 1}), x,
                          m.b.getDenseI64ArrayAttr({1}));
}

// Where the ids are largest, or whether they are the given one is; padding is
// neither.
Value StageBuilder::tokenOfId(Value x, PoolingKind kind, int64_t id) {
  Location loc = m.at(path);
  MLIRContext *context = x.getContext();
  Sizes batchAndLength = {SizeAttr::symbol(context, "batch"),
                          SizeAttr::symbol(context, "length")};
  RankedTensorType type = typeOf(ids);
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    auto both = BroadcastTensorsOp::create(m.b, loc, TypeRange{type, type},
                                           ValueRange{a, b});
    return arith::CmpIOp::create(m.b, loc, predicate, both.getResult(0),
                                 both.getResult(1));
  };
  auto constant = [&](int64_t value) -> Value {
    auto one = RankedTensorType::get({1}, m.b.getI32Type());
    return arith::ConstantOp::create(
        m.b, loc, DenseElementsAttr::get(one, m.b.getI32IntegerAttr(value)));
  };
  Value among = ids;
  if (kind == PoolingKind::FirstId)
    among = CastOp::create(
        m.b, loc, type, compare(arith::CmpIPredicate::eq, ids, constant(id)));
  Value place = IotaOp::create(m.b, loc, type, /*axis=*/1,
                               toArray(context, batchAndLength));
  Value isValid = compare(arith::CmpIPredicate::slt, place, expanded(lengths));
  among = WhereOp::create(m.b, loc, type, isValid, among, constant(-1));
  Value best = ArgReduceOp::create(
      m.b, loc,
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType()),
      ExtremumKind::Max, among, /*axis=*/1, /*keepSizes=*/false);
  // The same place for all channels.
  int64_t channels = ModelBuilder::channelsOf(x);
  Value places =
      ExpandOp::create(m.b, loc, type.clone({ShapedType::kDynamic, 1, 1}), best,
                       m.b.getDenseI64ArrayAttr({1, 2}));
  Sizes sizes = {batchAndLength[0], number(x, 1), number(x, channels)};
  auto shape = {ShapedType::kDynamic, int64_t(1), channels};
  places = BroadcastOp::create(m.b, loc, type.clone(shape), places,
                               toArray(context, sizes));
  return withoutTokens(GatherElementsOp::create(
      m.b, loc, typeOf(x).clone(shape), x, places, /*axis=*/1, /*wrap=*/false));
}

//===-- other stages ------------------------------------------------------===//

Value StageBuilder::apply(Value x, const LinearStage &stage) {
  std::string name = nameOf(stage.projection.name, stage.isOutside);
  Value table;
  if (stage.isTied) {
    table = transformer.embeddingTable();
    m.checkCopy(name + ".weight", transformer.embeddingName());
  } else {
    table = m.weight(name + ".weight",
                     {stage.outputs, ModelBuilder::channelsOf(x)});
  }
  Value bias;
  if (stage.ownBias.empty()) {
    bias = m.bias(name, stage.outputs, stage.projection.hasBias);
  } else {
    bias = m.weight(stage.ownBias, {stage.outputs});
    if (stage.ownBias != name + ".bias")
      m.checkCopy(name + ".bias", stage.ownBias);
  }
  return ModelBuilder::withLeastBits(
      LinearOp::create(m.b, m.at(name), x, table, bias),
      ModelBuilder::kBitsOfHead);
}

Value StageBuilder::apply(Value x, const ActivationStage &stage) {
  return ActivationOp::create(m.b, m.at(path), x.getType(), stage.kind, x);
}

Value StageBuilder::apply(Value x, const NormStage &stage) {
  return m.norm(x, stage.kind, nameOf(stage.name, stage.isOutside));
}

// x / max(|x|, 1e-12), as torch.nn.functional.normalize has it.
Value StageBuilder::apply(Value x, const NormalizeStage &) {
  Value length =
      m.reduced(ReductionKind::L2, x, m.at(path), /*keepSizes=*/true);
  length = m.atLeast(length, 1e-12, path);
  return m.divide(x, length, path);
}

Value StageBuilder::apply(Value x, const ResidualStage &stage) {
  Value y = apply(x, stage.norm);
  y = buildFeedForward(m, y, stage.feedForward, transformer.in(""), path);
  return m.add(x, y, path);
}

// torch.nn.MultiheadAttention: rows of one matrix are queries, keys and values.
Value StageBuilder::apply(Value x, const ProbeStage &stage) {
  int64_t channels = ModelBuilder::channelsOf(x);
  std::string name = transformer.in(stage.attention);
  Value weights = m.weight(name + ".in_proj_weight", {3 * channels, channels});
  Value biases = m.weight(name + ".in_proj_bias", {3 * channels});
  auto project = [&](Value y, int64_t part) -> Value {
    return LinearOp::create(m.b, m.at(name), y,
                            m.rows(weights, part * channels, channels),
                            m.rows(biases, part * channels, channels));
  };
  Value probe = m.weight(transformer.in(stage.probe), {1, 1, channels});
  Sizes sizes = {SizeAttr::symbol(x.getContext(), "batch"), number(x, 1),
                 number(x, channels)};
  Value query = BroadcastOp::create(
      m.b, m.at(name), typeOf(x).clone({ShapedType::kDynamic, 1, channels}),
      project(m.inF32(probe), 0), toArray(x.getContext(), sizes));
  auto attention = AttentionOp::create(
      m.b, m.at(name), query, project(x, 1), project(x, 2), /*mask=*/Value(),
      /*sinks=*/Value(), /*packedKey=*/Value(), /*packedValue=*/Value(),
      ValueRange(), ValueRange(), ValueRange(), stage.heads, stage.heads,
      m.b.getF64FloatAttr(1 / std::sqrt(double(channels / stage.heads))),
      Normalization::Softmax, ArrayAttr(), ArrayAttr(), ArrayAttr(),
      IntegerAttr(), TypeAttr());
  return withoutTokens(
      m.linear(attention.getResult(0), name + ".out_proj", channels, true));
}
