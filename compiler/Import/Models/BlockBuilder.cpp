// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/BlockBuilder.h"

#include "compiler/Import/Models/ExpertsBuilder.h"
#include "compiler/Import/Models/FeedForwardBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

//===-- projections -------------------------------------------------------===//

// Rows of a fused matrix [rows, inputs], or of its bias [rows].
BlockBuilder::Projections BlockBuilder::splitFused(Value fused) {
  const AttentionDescription &a = block.attention;
  int64_t d = a.headChannels;
  if (a.fusedOrder == FusedOrder::Rows) {
    int64_t queries = a.heads * d, keys = a.kvHeads * d;
    return {m.rows(fused, 0, queries), m.rows(fused, queries, keys),
            m.rows(fused, queries + keys, keys)};
  }
  // [groups, heads of a group, head channels, inputs]
  int64_t groups = a.kvHeads, queries = a.heads / groups;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(fused.getType()).getShape();
  SmallVector<int64_t> split = {groups, queries + 2, d};
  llvm::append_range(split, shape.drop_front());
  Value parts = m.reshaped(fused, split);
  auto part = [&](int64_t first, int64_t count) {
    SmallVector<int64_t> offsets(split.size(), 0), sizes = split;
    offsets[1] = first;
    sizes[1] = count;
    SmallVector<int64_t> rows = {groups * count * d};
    llvm::append_range(rows, shape.drop_front());
    return m.reshaped(m.slicedWeight(parts, offsets, sizes), rows);
  };
  return {part(0, queries), part(queries, 1), part(queries + 1, 1)};
}

BlockBuilder::Projections BlockBuilder::project(Value x) {
  const AttentionDescription &a = block.attention;
  int64_t queries = a.heads * a.headChannels, keys = a.kvHeads * a.headChannels;
  if (!a.fused)
    return {m.linear(x, in(a.query.name), queries, a.query.hasBias),
            m.linear(x, in(a.key.name), keys, a.key.hasBias),
            m.linear(x, in(a.value.name), keys, a.value.hasBias)};
  std::string name = in(a.fused->name);
  int64_t rows = queries + 2 * keys;
  Projections weights =
      splitFused(m.matrix(name, rows, ModelBuilder::channelsOf(x)));
  Projections biases;
  if (a.fused->hasBias)
    biases = splitFused(m.bias(name, rows, true));
  auto linear = [&](Value weight, Value bias, StringRef part) -> Value {
    return LinearOp::create(m.b, m.at(name + "." + part), x, weight, bias);
  };
  return {linear(weights.query, biases.query, "query"),
          linear(weights.key, biases.key, "key"),
          linear(weights.value, biases.value, "value")};
}

//===-- queries and keys --------------------------------------------------===//

Value BlockBuilder::normHeads(Value x, int64_t heads, StringRef name) {
  const HeadNormDescription &h = *block.attention.headNorm;
  int64_t channels = ModelBuilder::channelsOf(x);
  if (h.kind == HeadNormKind::AllHeads)
    return m.norm(x, h.norm, in(name));
  bool isShared = h.kind == HeadNormKind::EachHead;
  NormDescription norm = h.norm;
  norm.hasWeight &= isShared;
  Value normed =
      m.norm(m.reshapedTokens(x, {heads, channels / heads}), norm, in(name));
  normed = m.reshapedTokens(normed, {channels});
  if (isShared)
    return normed;
  Value weight;
  if (h.kind == HeadNormKind::OwnHeads) {
    weight = m.weight(in(name) + ".weight", {heads, channels / heads});
    weight = m.reshaped(weight, {channels});
  } else {
    SmallVector<Value> parts;
    for (int64_t head = 0; head < heads; ++head)
      parts.push_back(m.weight(in(name) + "." + Twine(head) + ".weight",
                               {channels / heads}));
    weight = m.concat(parts, 0);
  }
  return m.multiply(normed, weight, in(name));
}

Value BlockBuilder::rotated(Value x, int64_t heads, StringRef name) {
  if (!layer->rotary)
    return x;
  const RotaryDescription &r = *layer->rotary;
  auto channels =
      r.channels ? m.b.getI64IntegerAttr(*r.channels) : IntegerAttr();
  return RotaryOp::create(m.b, m.at(attentionPath + name + "_rotary"),
                          x.getType(), x, sequence->starts,
                          /*positionIds=*/Value(), /*cosines=*/Value(),
                          /*sines=*/Value(), m.b.getI64IntegerAttr(heads),
                          channels,
                          r.interleaved ? m.b.getUnitAttr() : UnitAttr(),
                          m.b.getI64IntegerAttr(maxPositions),
                          m.b.getF64FloatAttr(r.base), r.scaling);
}

//===-- scores ------------------------------------------------------------===//

// The keys that stand near enough, if not all of them do.
Value BlockBuilder::nearMask(std::optional<int64_t> window) {
  bool isBidirectional = block.attention.isBidirectional;
  if (window)
    return WindowMaskOp::create(
        m.b, m.at("model.mask.window"), MaskType::get(m.b.getContext()),
        m.b.getI64IntegerAttr(*window - 1),
        m.b.getI64IntegerAttr(isBidirectional ? *window - 1 : 0),
        sequence->starts, alignment(), /*plus=*/SizeAttr());
  if (isBidirectional)
    return Value();
  return CausalMaskOp::create(m.b, m.at("model.mask.causal"), sequence->starts,
                              alignment(), /*plus=*/SizeAttr());
}

Value BlockBuilder::maskOf(std::optional<int64_t> window) {
  Value &mask = masks[window.value_or(0)];
  if (mask)
    return mask;
  mask = nearMask(window);
  if (!sequence->totals)
    return mask;
  Value valid =
      LengthsMaskOp::create(m.b, m.at("model.mask.lengths"), sequence->totals);
  mask = mask ? AndMaskOp::create(m.b, m.at("model.mask"), mask, valid) : valid;
  return mask;
}

// Where the first query of a sequence stands, for ops of masks and scores.
AlignmentAttr BlockBuilder::alignment() const {
  return sequence->starts
             ? AlignmentAttr()
             : AlignmentAttr::get(m.b.getContext(), Alignment::TopLeft);
}

bool BlockBuilder::changesScores() const {
  const AttentionDescription &a = block.attention;
  return a.softcap || !a.alibiSlopes.empty() || a.relativeBias;
}

// Changes of scores, before they are masked, and what they read.
SmallVector<Value> BlockBuilder::scoreOperands() {
  const AttentionDescription &a = block.attention;
  SmallVector<Value> operands;
  if (!a.alibiSlopes.empty())
    operands.push_back(m.constant(a.alibiSlopes));
  if (a.relativeBias)
    operands.push_back(m.weight(modelPrefix + a.relativeBias->table + ".weight",
                                {a.relativeBias->buckets, a.heads}));
  if (sequence->starts && !operands.empty())
    operands.push_back(sequence->starts);
  return operands;
}

void BlockBuilder::addScores(Region &region, ValueRange operands) {
  const AttentionDescription &a = block.attention;
  OpBuilder::InsertionGuard guard(m.b);
  auto scores =
      RankedTensorType::get({ShapedType::kDynamic, a.heads,
                             ShapedType::kDynamic, ShapedType::kDynamic},
                            m.b.getF32Type());
  Location loc = m.at(attentionPath + ".scores");
  mlir::Block *body = m.b.createBlock(&region, {}, {scores}, {loc});
  for (Value operand : operands)
    body->addArgument(operand.getType(), loc);
  Value changed = body->getArgument(0);
  Value starts = sequence->starts ? body->getArguments().back() : Value();
  if (a.softcap)
    changed = SoftcapOp::create(m.b, loc, scores, changed,
                                m.b.getF64FloatAttr(*a.softcap));
  if (!a.alibiSlopes.empty())
    changed = AlibiOp::create(m.b, loc, scores, changed, body->getArgument(1),
                              starts, alignment());
  if (const auto &bias = a.relativeBias)
    changed = RelativeBiasOp::create(
        m.b, loc, scores, changed, body->getArgument(1),
        BucketsAttr::get(m.b.getContext(),
                         a.isBidirectional ? Buckets::Both : Buckets::Causal),
        m.b.getI64IntegerAttr(bias->largestDistance), starts, alignment());
  YieldOp::create(m.b, loc, changed);
}

AttentionOp BlockBuilder::createAttention(const Projections &p, Value mask,
                                          Value sinks, ValueRange operands,
                                          StringRef path) {
  const AttentionDescription &a = block.attention;
  return AttentionOp::create(
      m.b, m.at(path), p.query, p.key, p.value, mask, sinks,
      /*packedKey=*/Value(), /*packedValue=*/Value(),
      /*termOperands=*/ValueRange(), operands,
      /*factorOperands=*/ValueRange(), a.heads, a.kvHeads,
      m.b.getF64FloatAttr(layer->scale), Normalization::Softmax,
      /*layout=*/ArrayAttr(), /*outputLayout=*/ArrayAttr(),
      /*wanted=*/ArrayAttr(), /*splits=*/IntegerAttr(),
      /*products=*/TypeAttr());
}

Value BlockBuilder::attend(const Projections &p) {
  const AttentionDescription &a = block.attention;
  SmallVector<Value> operands = scoreOperands();
  Value sinks = a.sinks.empty() ? Value() : m.weight(in(a.sinks), {a.heads});
  AttentionOp attention =
      createAttention(p, maskOf(layer->window), sinks, operands, attentionPath);
  if (changesScores())
    addScores(attention.getScore(), operands);
  return attention.getResult(0);
}

// Keys and values become those of all tokens so far.
void BlockBuilder::appendToCache(Projections &p) {
  sequence->cache = CacheAppendOp::create(
      m.b, m.at(attentionPath + ".cache_append"), sequence->cache, p.key,
      p.value, sequence->starts, sequence->lengths, number);
  auto read = CacheReadOp::create(m.b, m.at(attentionPath + ".cache_read"),
                                  sequence->cache, number);
  p.key = read.getKey();
  p.value = read.getValue();
}

Value BlockBuilder::buildAttention(Value x) {
  const AttentionDescription &a = block.attention;
  int64_t channels = ModelBuilder::channelsOf(x);
  Projections p = a.latent ? projectLatent(x) : project(x);
  if (a.headNorm) {
    p.query = normHeads(p.query, a.heads, a.headNorm->query);
    p.key = normHeads(p.key, a.kvHeads, a.headNorm->key);
  }
  if (!a.latent) {
    p.query = rotated(p.query, a.heads, ".q");
    p.key = rotated(p.key, a.kvHeads, ".k");
  }
  if (sequence->cache)
    appendToCache(p);
  return m.linear(attend(p), in(a.output.name), channels, a.output.hasBias);
}

//===-- attention to a source ---------------------------------------------===//

void BlockBuilder::appendSource(Value source, int64_t layerNumber,
                                StringRef layerPrefix, SequenceValues &values) {
  prefix = layerPrefix.str();
  const CrossAttentionDescription &c = *block.cross;
  const AttentionDescription &a = block.attention;
  int64_t keys = a.kvHeads * a.headChannels;
  Value key = m.linear(source, in(c.key.name), keys, c.key.hasBias);
  Value value = m.linear(source, in(c.value.name), keys, c.value.hasBias);
  values.cross = CacheAppendOp::create(
      m.b, m.at(moduleOf(c.key.name, "cross") + ".cache_append"), values.cross,
      key, value, /*starts=*/Value(), values.lengths, layerNumber);
}

Value BlockBuilder::buildCross(Value x) {
  const CrossAttentionDescription &c = *block.cross;
  const AttentionDescription &a = block.attention;
  std::string path = moduleOf(c.output.name, "cross");
  auto read = CacheReadOp::create(m.b, m.at(path + ".cache_read"),
                                  sequence->cross, number);
  Projections p = {
      m.linear(x, in(c.query.name), a.heads * a.headChannels, c.query.hasBias),
      read.getKey(), read.getValue()};
  if (sequence->crossLengths && !crossMask)
    crossMask = LengthsMaskOp::create(m.b, m.at("model.mask.source"),
                                      sequence->crossLengths);
  AttentionOp attention =
      createAttention(p, crossMask, Value(), ValueRange(), path);
  return m.linear(attention.getResult(0), in(c.output.name),
                  ModelBuilder::channelsOf(x), c.output.hasBias);
}

//===-- the block ---------------------------------------------------------===//

Value BlockBuilder::buildFeedForward(Value x) {
  if (layer->experts)
    return ExpertsBuilder(m, *layer->experts, prefix, feedForwardPath).build(x);
  return heddle::buildFeedForward(m, x, block.feedForward, prefix,
                                  feedForwardPath);
}

Value BlockBuilder::normed(Value x, StringRef name) {
  return m.norm(x, block.norm, in(name));
}

std::string BlockBuilder::moduleOf(StringRef projection,
                                   StringRef fallback) const {
  auto [module, name] = projection.rsplit('.');
  return in(name.empty() ? fallback : module);
}

// Adds what a branch makes, with norms where the order of the block has them;
// an empty name is none.
Value BlockBuilder::add(Value x, Branch::Step compute, StringRef norm,
                        StringRef postNorm, StringRef path) {
  auto byName = [&](Value y) { return normed(y, norm); };
  auto byPostName = [&](Value y) { return normed(y, postNorm); };
  Branch branch{nullptr, compute, nullptr, nullptr};
  if (!norm.empty())
    switch (block.order) {
    case BlockOrder::Sandwich:
      branch.normBehind = byPostName;
      [[fallthrough]];
    case BlockOrder::Pre:
      branch.normBefore = byName;
      break;
    case BlockOrder::Branch:
      branch.normBehind = byName;
      break;
    case BlockOrder::Post:
      branch.normOfSum = byName;
      break;
    case BlockOrder::Parallel:
      llvm_unreachable("its branches have one norm");
    }
  return addBranch(m.b, m.at(path + ".residual"), x, branch);
}

Value BlockBuilder::build(Value x, const LayerDescription &description,
                          int64_t layerNumber, StringRef layerPrefix,
                          SequenceValues &values) {
  layer = &description;
  number = layerNumber;
  prefix = layerPrefix.str();
  sequence = &values;
  const BlockDescription &k = block;
  attentionPath = moduleOf(k.attention.output.name, "attention");
  feedForwardPath =
      layer->experts ? moduleOf(layer->experts->routing.router.name, "experts")
                     : moduleOf(k.feedForward.down.name, "feed_forward");
  auto attention = [&](Value y) {
    return m.scaled(buildAttention(y), k.residualFactor,
                    attentionPath + ".factor");
  };
  auto feedForward = [&](Value y) {
    return m.scaled(buildFeedForward(y), k.residualFactor,
                    feedForwardPath + ".factor");
  };
  if (k.order == BlockOrder::Parallel) {
    Value y = normed(x, k.attentionNorm);
    Value z = k.feedForwardNorm.empty() ? y : normed(x, k.feedForwardNorm);
    Value attended = attention(y);
    return m.add(x, m.add(attended, feedForward(z), prefix + "branches"),
                 feedForwardPath + ".residual");
  }
  x = add(x, attention, layer->hasAttentionNorm ? k.attentionNorm : "",
          k.attentionPostNorm, attentionPath);
  if (k.cross)
    x = add(
        x, [&](Value y) { return buildCross(y); }, k.cross->norm, "",
        attentionPath);
  return add(x, feedForward, k.feedForwardNorm, k.feedForwardPostNorm,
             feedForwardPath);
}
