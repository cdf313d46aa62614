// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"
#include "runtime/heddle_abi.h"

#include "llvm/Support/Parallel.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

//===-- heddle.attention --------------------------------------------------===//

namespace {
/// A tensor as heads of tokens: [batch, length, heads * dimension], or [batch,
/// heads, length, dimension].
struct Heads {
  Heads(const Tensor &x, int64_t heads)
      : elements(x.data), heads(heads), isOutside(x.shape.size() == 4),
        batch(x.shape[0]), length(x.shape[isOutside ? 2 : 1]),
        dimension(x.shape.back() / (isOutside ? 1 : heads)) {}

  int64_t offset(int64_t b, int64_t token, int64_t head) const {
    return (isOutside ? (b * heads + head) * length + token
                      : (b * length + token) * heads + head) *
           dimension;
  }
  /// Head `head` of token `token` of sequence `b`.
  ArrayRef<double> of(int64_t b, int64_t token, int64_t head) const {
    return elements.slice(offset(b, token, head), dimension);
  }

  ArrayRef<double> elements;
  int64_t heads;
  bool isOutside;
  int64_t batch, length, dimension;
};

/// Attention of all sequences.
struct Attention {
  Attention(AttentionOp op, const Environment &values)
      : query(*values.tensor(op.getQuery()), op.getHeads()),
        key(*values.tensor(op.getKey()), op.getKvHeads()),
        value(*values.tensor(op.getValue()), op.getKvHeads()),
        mask(op.getMask() ? &values[op.getMask()].mask() : nullptr),
        scale(op.getScale().convertToDouble()) {}

  Heads query, key, value;
  const Mask *mask;
  double scale;

  /// The keys that query `q` of head `h` of sequence `b` keeps: others are
  /// never looked at, so what they hold cannot matter.
  llvm::BitVector keys(int64_t b, int64_t h, int64_t q) const {
    return mask ? mask->keeps({b, h, q, query.length, key.length})
                : llvm::BitVector(key.length, true);
  }
  /// The head of keys and values that head `h` of the query reads.
  int64_t keyHead(int64_t h) const { return h / (query.heads / key.heads); }

  /// softmax_k(scale * Q[b, q, h] . K[b, k, g] | mask) V[b, k, g], for one row.
  void computeRow(int64_t b, int64_t q, int64_t h, const llvm::BitVector &keys,
                  MutableArrayRef<double> result) const;

  /// Calls `compute` with each row of `result`, a tensor of the result's shape,
  /// and the keys that its query keeps.
  void forEachRow(MutableArrayRef<double> result,
                  llvm::function_ref<void(int64_t b, int64_t q, int64_t h,
                                          const llvm::BitVector &keys,
                                          MutableArrayRef<double> row)>
                      compute) const {
    llvm::parallelFor(0, query.batch * query.length, [&](size_t row) {
      int64_t b = row / query.length, q = row % query.length;
      for (int64_t h = 0; h < query.heads; ++h)
        compute(b, q, h, keys(b, h, q),
                result.slice(query.offset(b, q, h) / query.dimension *
                                 value.dimension,
                             value.dimension));
    });
  }
};
} // namespace

void Attention::computeRow(int64_t b, int64_t q, int64_t h,
                           const llvm::BitVector &keys,
                           MutableArrayRef<double> result) const {
  int64_t g = keyHead(h);
  SmallVector<std::pair<int64_t, double>> scores;
  double maximum = -std::numeric_limits<double>::infinity();
  for (int64_t k : keys.set_bits()) {
    double score = 0;
    for (auto [x, y] : llvm::zip_equal(query.of(b, q, h), key.of(b, k, g)))
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
    for (auto [r, v] : llvm::zip_equal(result, value.of(b, k, g)))
      r += weight / sum * v;
}

static llvm::Expected<Value> evaluate(AttentionOp op,
                                      const Environment &values) {
  Attention attention(op, values);
  const Heads &query = attention.query, &key = attention.key,
              &value = attention.value;
  const Mask *mask = attention.mask;
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", query.batch, key.batch),
        std::tuple("batch of the value", query.batch, value.batch),
        std::tuple("length of the value", key.length, value.length)})
    if (llvm::Error error = expectSize(op, what, expected, found))
      return error;
  if (mask)
    for (auto [what, expected, found] :
         {std::tuple("batch of the mask", query.batch, mask->sizes[0]),
          std::tuple("heads of the mask", query.heads, mask->sizes[1]),
          std::tuple("queries of the mask", query.length, mask->sizes[2]),
          std::tuple("keys of the mask", key.length, mask->sizes[3])})
      if (found)
        if (llvm::Error error = expectSize(op, what, expected, *found))
          return error;
  SmallVector<int64_t> shape = values.tensor(op.getQuery())->shape;
  shape.back() = value.dimension * (query.isOutside ? 1 : query.heads);
  Tensor result = Tensor::zeros(shape);
  attention.forEachRow(result.data, [&](int64_t b, int64_t q, int64_t h,
                                        const llvm::BitVector &keys,
                                        MutableArrayRef<double> row) {
    attention.computeRow(b, q, h, keys, row);
  });
  return result;
}

namespace {
/// A key that a query sees: weight = exp(score - the largest score).
struct Score {
  int64_t key;
  double score, error, weight = 0;
};
} // namespace

// How far the softmax p[k] = 1 / (1 + sum_j exp(s[j] - s[k])) can move, for
// errors of any size: to where all others have moved the other way, at most.
static double weightError(const Score &k, double p, ArrayRef<Score> scores) {
  double less = 0, more = 0;
  for (const Score &j : scores) {
    if (j.key == k.key)
      continue;
    less += std::exp(j.score - k.score + (j.error + k.error));
    more += std::exp(j.score - k.score - (j.error + k.error));
  }
  return std::max(p - 1 / (1 + less), 1 / (1 + more) - p);
}

// o[d] = sum_k p[k] v[k, d] with p = softmax(s), s[k] = scale q . k. An error
// of s[k] is a relative one of p[k], before p is divided by its sum:
//   r[k] = scale gamma(D + 3) sum_d |q[d] k[d]| + u |s[k] - max|
//          + the exponential's
// With what the divisor adds, the two sums over n keys, the product with the
// divisor's reciprocal, and for each 32 keys at most one rescaling of the sums,
// which multiplies each by an exponential:
//   sum_k p[k] |v[k, d]| (r[k] + sum_j p[j] r[j] + 2 gamma(n) + 2u
//                         + 2 (u + the exponential's) n / 32)
// Queries, keys and values come from memory, so they are exact. Where errors
// are too large for that, p[k] moves by what weightError says.
static Bounds boundOf(AttentionOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  Attention attention(op, values);
  const Heads &query = attention.query, &key = attention.key,
              &value = attention.value;
  int64_t headDim = query.dimension;
  double scale = attention.scale;
  Bounds bound(result.data.size());
  attention.forEachRow(bound, [&](int64_t b, int64_t q, int64_t h,
                                  const llvm::BitVector &keys,
                                  MutableArrayRef<double> out) {
    int64_t g = attention.keyHead(h);
    ArrayRef<double> x = query.of(b, q, h);
    std::vector<Score> scores;
    double maximum = -std::numeric_limits<double>::infinity();
    for (int64_t k : keys.set_bits()) {
      ArrayRef<double> y = key.of(b, k, g);
      double sum = 0, magnitudes = 0;
      for (int64_t d = 0; d < headDim; ++d) {
        sum += x[d] * y[d];
        magnitudes += std::abs(x[d] * y[d]);
      }
      scores.push_back(
          {k, scale * sum, std::abs(scale) * gamma(headDim + 3) * magnitudes});
      maximum = std::max(maximum, scale * sum);
    }
    double sum = 0, mean = 0, n = scores.size();
    for (Score &s : scores) {
      s.error += u * (maximum - s.score) + exp2Error;
      s.weight = std::exp(s.score - maximum);
      sum += s.weight;
      mean += s.weight * s.error;
    }
    double common = mean / sum + 2 * gamma(n) + 2 * u +
                    2 * (u + exp2Error) * n / HEDDLE_CACHE_BLOCK;
    for (const Score &s : scores) {
      double relative = s.error + common;
      double error = relative < 0.1 ? s.weight / sum * relative
                                    : weightError(s, s.weight / sum, scores);
      double factor = error + exp2Smallest;
      for (auto [o, v] : llvm::zip_equal(out, value.of(b, s.key, g)))
        o += factor * std::abs(v);
    }
  });
  return bound;
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
    attach<Bounded, AttentionOp>(context);
    attach<Exact, CacheReadOp>(context);
  });
}

} // namespace heddle::reference
