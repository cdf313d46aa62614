// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

#include "llvm/Support/Parallel.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

//===-- heddle.attention --------------------------------------------------===//

namespace {
/// Attention of all sequences; shapes as in the op.
struct Attention {
  const Tensor &query, &key, &value;
  const Mask *mask;
  int64_t heads, kvHeads;
  double scale;

  int64_t batch = query.shape[0];
  int64_t queries = query.shape[1], keys = key.shape[1];
  int64_t headDim = query.channels() / heads;
  int64_t valueDim = value.channels() / kvHeads;

  /// Head `head` of token `token` of sequence `b`.
  static ArrayRef<double> headOf(const Tensor &x, int64_t b, int64_t token,
                                 int64_t head, int64_t dimension) {
    return x.row(b * x.shape[1] + token).slice(head * dimension, dimension);
  }

  /// softmax_k(scale * Q[b, q, h] . K[b, k, g] | mask) V[b, k, g], for one row.
  void computeRow(int64_t b, int64_t q, int64_t h,
                  MutableArrayRef<double> result) const;
};
} // namespace

void Attention::computeRow(int64_t b, int64_t q, int64_t h,
                           MutableArrayRef<double> result) const {
  int64_t g = h / (heads / kvHeads);
  // Scores of the keys that the mask keeps: dropped ones are never looked at,
  // so what they hold cannot matter.
  SmallVector<std::pair<int64_t, double>> scores;
  double maximum = -std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < keys; ++k) {
    if (mask && !mask->keeps({b, q, k, queries, keys}))
      continue;
    double score = 0;
    for (auto [x, y] : llvm::zip_equal(headOf(query, b, q, h, headDim),
                                       headOf(key, b, k, g, headDim)))
      score += x * y;
    score *= scale;
    scores.push_back({k, score});
    maximum = std::max(maximum, score);
  }
  // Without any key this leaves the row 0.
  double sum = 0;
  for (auto &[k, score] : scores) {
    score = std::exp(score - maximum);
    sum += score;
  }
  for (auto [k, weight] : scores)
    for (auto [r, v] :
         llvm::zip_equal(result, headOf(value, b, k, g, valueDim)))
      r += weight / sum * v;
}

static llvm::Expected<Value> evaluate(AttentionOp op,
                                      const Environment &values) {
  auto query = values.tensor(op.getQuery()), key = values.tensor(op.getKey()),
       value = values.tensor(op.getValue());
  const Mask *mask = op.getMask() ? &values[op.getMask()].mask() : nullptr;
  int64_t heads = op.getHeads(), kvHeads = op.getKvHeads();
  Attention attention{*query,
                      *key,
                      *value,
                      mask,
                      heads,
                      kvHeads,
                      op.getScale().convertToDouble()};
  int64_t batch = attention.batch, queries = attention.queries;
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", batch, key->shape[0]),
        std::tuple("batch of the value", batch, value->shape[0]),
        std::tuple("length of the value", key->shape[1], value->shape[1]),
        std::tuple("batch of the mask", batch,
                   mask && mask->batch ? *mask->batch : batch)})
    if (llvm::Error error = expectSize(op, what, expected, found))
      return error;

  Tensor result = Tensor::zeros({batch, queries, heads * attention.valueDim});
  llvm::parallelFor(0, batch * queries, [&](size_t row) {
    for (int64_t h = 0; h < heads; ++h)
      attention.computeRow(
          row / queries, row % queries, h,
          result.row(row).slice(h * attention.valueDim, attention.valueDim));
  });
  return result;
}

//===-- heddle.cache.append, heddle.cache.read ----------------------------===//

static llvm::Error checkNotStale(Operation *op, const CacheView &cache,
                                 int64_t layer) {
  if (!cache.isStale(layer))
    return llvm::Error::success();
  return fail(op, "expected a cache that nothing was appended to since, found "
                  "an older one (layer " +
                      Twine(cache.firstLayer + layer) + ")");
}

// Token s < lengths[b] of sequence b goes to position starts[b] + s.
static llvm::Expected<Value> evaluate(CacheAppendOp op,
                                      const Environment &values) {
  CacheView cache = values[op.getCache()].cache();
  CacheStorage &storage = *cache.storage;
  auto key = values.tensor(op.getKey()), value = values.tensor(op.getValue());
  auto starts = values.tensor(op.getStarts()),
       lengths = values.tensor(op.getLengths());
  int64_t layer = op.getLayer(), tokens = key->shape[1];
  if (llvm::Error error = checkNotStale(op, cache, layer))
    return error;
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", storage.batch, key->shape[0]),
        std::tuple("batch of the value", storage.batch, value->shape[0]),
        std::tuple("length of the value", tokens, value->shape[1]),
        std::tuple("starts", storage.batch, starts->shape[0]),
        std::tuple("lengths", storage.batch, lengths->shape[0])})
    if (llvm::Error error = expectSize(op, what, expected, found))
      return error;
  for (int64_t b = 0; b < storage.batch; ++b) {
    int64_t start = starts->data[b], length = lengths->data[b];
    if (length < 0 || length > tokens)
      return fail(op, "expected a length from 0 to " + Twine(tokens) +
                          ", found " + Twine(length));
    if (start < 0 || start + length > storage.capacity)
      return fail(op, "expected positions from 0 to the capacity of " +
                          Twine(storage.capacity) + ", found " + Twine(start) +
                          " to " + Twine(start + length));
  }

  for (int64_t b = 0; b < storage.batch; ++b)
    for (int64_t s = 0; s < lengths->data[b]; ++s) {
      int64_t to = storage.index(cache.firstLayer + layer, b,
                                 int64_t(starts->data[b]) + s);
      llvm::copy(key->row(b * tokens + s), storage.keys.begin() + to);
      llvm::copy(value->row(b * tokens + s), storage.values.begin() + to);
    }
  cache.appends[layer] = ++storage.appends[cache.firstLayer + layer];
  return cache;
}

// [batch, capacity, channels] of one layer
static llvm::Expected<Results> evaluate(CacheReadOp op,
                                        const Environment &values) {
  const CacheView &cache = values[op.getCache()].cache();
  const CacheStorage &storage = *cache.storage;
  int64_t layer = op.getLayer();
  if (llvm::Error error = checkNotStale(op, cache, layer))
    return error;
  auto read = [&](const std::vector<double> &all) {
    auto begin = all.begin() + storage.index(cache.firstLayer + layer, 0, 0);
    int64_t size = storage.batch * storage.capacity * storage.channels();
    return Tensor({storage.batch, storage.capacity, storage.channels()},
                  std::vector<double>(begin, begin + size));
  };
  return Results{read(storage.keys), read(storage.values)};
}

void registerAttention(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, AttentionOp, CacheAppendOp, CacheReadOp>(context);
  });
}

} // namespace heddle::reference
