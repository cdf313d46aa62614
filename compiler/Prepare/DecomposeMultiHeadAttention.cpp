// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.multi_head_attention %x, %m, %m query(%wq) key(%wk) value(%wv)
//     output(%wo)
//   -> linear(attention(linear(x, wq), linear(m, wk), linear(m, wv)), wo)
// With a cache, keys and values are what heddle.cache.read gives after
// heddle.cache.append has stored these.

#include "compiler/Prepare/Decompositions.h"

using namespace mlir;

namespace heddle {

// Channels `first` to `first + count - 1`.
static Value sliceChannels(OpBuilder &b, Location loc, Value x, int64_t first,
                           int64_t count) {
  Sizes sizes = sizesOf(x);
  sizes.back() = SizeAttr::number(b.getContext(), count);
  Sizes offsets(sizes.size(), SizeAttr::number(b.getContext(), 0));
  offsets.back() = SizeAttr::number(b.getContext(), first);
  SmallVector<int64_t> steps(sizes.size(), 1);
  return SliceOp::create(b, loc, tensorOf(sizes, getElementTypeOrSelf(x)), x,
                         toArray(b.getContext(), offsets),
                         toArray(b.getContext(), sizes), steps);
}

static Value reshape(OpBuilder &b, Location loc, Value x, const Sizes &sizes) {
  return ReshapeOp::create(b, loc, tensorOf(sizes, getElementTypeOrSelf(x)), x,
                           toArray(b.getContext(), sizes));
}

// rms_norm over the channels of each head of [batch, length, heads * channels].
static Value normHeads(OpBuilder &b, Location loc, Value x, Value weight,
                       FloatAttr epsilon) {
  Sizes sizes = sizesOf(x), heads = sizes;
  int64_t channels = cast<RankedTensorType>(weight.getType()).getDimSize(0);
  heads.back() =
      SizeAttr::number(b.getContext(), *sizes.back().asNumber() / channels);
  heads.push_back(SizeAttr::number(b.getContext(), channels));
  Value parts = reshape(b, loc, x, heads);
  Value normed =
      RMSNormOp::create(b, loc, parts.getType(), parts, weight, epsilon);
  return reshape(b, loc, normed, sizes);
}

// Queries, keys and values.
static SmallVector<Value> project(MultiHeadAttentionOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  if (!op.getCombinedWeight())
    return {LinearOp::create(b, loc, op.getQuery(), op.getQueryWeight(),
                             op.getQueryBias()),
            LinearOp::create(b, loc, op.getKey(), op.getKeyWeight(),
                             op.getKeyBias()),
            LinearOp::create(b, loc, op.getValue(), op.getValueWeight(),
                             op.getValueBias())};
  Value all = LinearOp::create(b, loc, op.getQuery(), op.getCombinedWeight(),
                               op.getCombinedBias());
  int64_t width = op.getHeads() * op.getHeadDim(),
          kvWidth = op.getKvHeads() * op.getHeadDim();
  return {sliceChannels(b, loc, all, 0, width),
          sliceChannels(b, loc, all, width, kvWidth),
          sliceChannels(b, loc, all, width + kvWidth, kvWidth)};
}

static Values decompose(MultiHeadAttentionOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  SmallVector<Value> projected = project(op, b);
  Value query = projected[0], key = projected[1], value = projected[2], cache;
  if (op.getQueryNorm()) {
    query = normHeads(b, loc, query, op.getQueryNorm(), op.getEpsilonAttr());
    key = normHeads(b, loc, key, op.getKeyNorm(), op.getEpsilonAttr());
  }
  if (op.getCache()) {
    cache =
        CacheAppendOp::create(b, loc, op.getCache(), key, value, op.getStarts(),
                              op.getLengths(), *op.getLayer());
    auto read = CacheReadOp::create(b, loc, cache, *op.getLayer());
    key = read.getKey();
    value = read.getValue();
  }
  auto attention = AttentionOp::create(
      b, loc, query, key, value, op.getMask(), /*sinks=*/Value(),
      /*packedKey=*/Value(), /*packedValue=*/Value(),
      /*termOperands=*/ValueRange(), op.getScoreOperands(),
      /*factorOperands=*/ValueRange(), op.getHeads(), op.getKvHeads(),
      op.getScaleAttr(), Normalization::Softmax,
      /*layout=*/ArrayAttr(),
      /*outputLayout=*/ArrayAttr(), op.getWantedAttr(),
      /*splits=*/IntegerAttr(), /*products=*/TypeAttr());
  attention.getScore().takeBody(op.getScore());
  Values results;
  for (AttentionResult wanted : op.getWantedResults()) {
    Value result = attention.findResult(wanted);
    if (wanted == AttentionResult::Output)
      result = LinearOp::create(b, loc, result, op.getOutputWeight(),
                                op.getOutputBias());
    results.push_back(result);
  }
  if (cache)
    results.push_back(cache);
  return results;
}

void registerMultiHeadAttentionDecompositions(MLIRContext *context) {
  attachDecompositions<MultiHeadAttentionOp>(context);
}

} // namespace heddle
