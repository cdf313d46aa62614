// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/Roundings.h"

#include "llvm/Support/Parallel.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

namespace {
/// [batch, length, heads * channels], of which a row is a token.
struct Projections {
  Tensor query, key, value;
};

/// What attention gives: [batch, queries, heads * channels], and
/// [batch, heads, queries, keys]. With bounds of both.
struct Attended {
  Tensor output, weights;
  Bounds outputBounds, weightBounds;
};
} // namespace

static const Value *find(mlir::Value name, const Environment &values) {
  return name ? &values[name] : nullptr;
}

// Channels `first` to `first + count - 1` of each token.
static Tensor channelsOf(const Tensor &x, int64_t first, int64_t count) {
  SmallVector<int64_t> shape(x.shape);
  shape.back() = count;
  Tensor part = Tensor::zeros(shape);
  for (int64_t row = 0; row < x.rows(); ++row)
    llvm::copy(x.row(row).slice(first, count), part.row(row).begin());
  return part;
}

// q = linear(query, Wq, bq), k = linear(key, Wk, bk), v = linear(value, Wv, bv)
static Projections project(MultiHeadAttentionOp op, const Environment &values,
                           Step step) {
  auto linearOf = [&](mlir::Value x, mlir::Value weight, mlir::Value bias) {
    return linearStep(*values.tensor(x), values[weight], find(bias, values),
                      step);
  };
  if (!op.getCombinedWeight())
    return {linearOf(op.getQuery(), op.getQueryWeight(), op.getQueryBias()),
            linearOf(op.getKey(), op.getKeyWeight(), op.getKeyBias()),
            linearOf(op.getValue(), op.getValueWeight(), op.getValueBias())};
  Tensor all =
      linearOf(op.getQuery(), op.getCombinedWeight(), op.getCombinedBias());
  int64_t ofHead =
      all.channels() / int64_t(op.getHeads() + 2 * op.getKvHeads());
  int64_t wide = ofHead * int64_t(op.getHeads()),
          narrow = ofHead * int64_t(op.getKvHeads());
  return {channelsOf(all, 0, wide), channelsOf(all, wide, narrow),
          channelsOf(all, wide + narrow, narrow)};
}

// rms_norm over the channels of each head
static void normStep(Tensor &x, const Tensor &weight, double epsilon,
                     Step step) {
  int64_t dim = weight.channels();
  Bounds bounds;
  for (size_t head = 0; head < x.data.size(); head += dim) {
    auto channels = MutableArrayRef(x.data).slice(head, dim);
    Sum squares;
    for (double element : channels)
      squares.add(Approx(element) * Approx(element));
    Approx scale = Approx(1) / sqrt(squares.result() / Approx(double(dim)) +
                                    Approx::constant(epsilon));
    for (auto [element, w] : llvm::zip_equal(channels, weight.data)) {
      Approx y = Approx(element) * scale * Approx(w);
      element = y.value;
      bounds.push_back(y.error);
    }
  }
  step(x, [&] { return bounds; });
}

// attention(q, k, v): for each query of a head, softmax of scale * (q . k) over
// the keys that it keeps, and the sum of their values by these weights. Code
// rescales its sums once for each block of keys, which the roundings of sums
// are more than.
static Attended attend(MultiHeadAttentionOp op, const Projections &projections,
                       const Mask *mask) {
  const Tensor &query = projections.query, &key = projections.key,
               &value = projections.value;
  int64_t batch = query.shape[0], queries = query.shape[1], keys = key.shape[1],
          heads = op.getHeads(), kvHeads = op.getKvHeads();
  int64_t dim = query.channels() / heads, valueDim = value.channels() / kvHeads;
  Approx scale = Approx::constant(op.getScaleOrDefault());
  Attended result{Tensor::zeros({batch, queries, heads * valueDim}),
                  Tensor::zeros({batch, heads, queries, keys}),
                  {},
                  {}};
  result.outputBounds.resize(result.output.data.size());
  result.weightBounds.resize(result.weights.data.size());
  auto partOf = [](const Tensor &x, int64_t row, int64_t head, int64_t size) {
    return x.row(row).slice(head * size, size);
  };
  auto visit = [&](int64_t b, int64_t h, int64_t q) {
    int64_t kvHead = h / (heads / kvHeads);
    llvm::BitVector kept = mask ? mask->keeps({b, h, q, queries, keys})
                                : llvm::BitVector(keys, true);
    SmallVector<std::pair<int64_t, Approx>> scores;
    Approx largest = -kInfinity;
    for (int64_t k : kept.set_bits()) {
      Sum product;
      for (auto [x, y] :
           llvm::zip_equal(partOf(query, b * queries + q, h, dim),
                           partOf(key, b * keys + k, kvHead, dim)))
        product.add(Approx(x) * Approx(y));
      Approx score = product.result() * scale;
      // Such a key is dropped.
      if (score.value == -kInfinity)
        continue;
      scores.emplace_back(k, score);
      largest = maximum(largest, score);
    }
    Sum sum;
    for (auto &[k, score] : scores) {
      score = score - Approx(largest.value);
      // Powers of two are computed where there are many: of the difference
      // times log2(e), which is rounded, as is their product.
      score.error += 2 * precision().roundoff * std::abs(score.value);
      score = exp(score);
      score.error += precision().exponentialError * score.value +
                     precision().smallestExponential;
      sum.add(score);
    }
    SmallVector<Sum> outputs(valueDim);
    int64_t row = b * queries + q;
    for (auto &[k, weight] : scores) {
      weight = weight / sum.result();
      int64_t place = ((b * heads + h) * queries + q) * keys + k;
      result.weights.data[place] = weight.value;
      result.weightBounds[place] = weight.error;
      for (auto [c, v] :
           llvm::enumerate(partOf(value, b * keys + k, kvHead, valueDim)))
        outputs[c].add(weight * Approx(v));
    }
    for (auto [c, output] : llvm::enumerate(outputs)) {
      int64_t place = (row * heads + h) * valueDim + int64_t(c);
      result.output.data[place] = output.result().value;
      result.outputBounds[place] = output.result().error;
    }
  };
  llvm::parallelFor(0, batch * heads * queries, [&](size_t i) {
    int64_t row = int64_t(i) / queries;
    visit(row / heads, row % heads, int64_t(i) % queries);
  });
  return result;
}

static llvm::Error checkSizes(MultiHeadAttentionOp op,
                              const Projections &projections,
                              const Mask *mask) {
  const auto &[query, key, value] = projections;
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", query.shape[0], key.shape[0]),
        std::tuple("batch of the value", query.shape[0], value.shape[0]),
        std::tuple("length of the value", key.shape[1], value.shape[1])})
    if (llvm::Error error = expectSize(op, what, expected, found))
      return error;
  int64_t sizes[] = {query.shape[0], int64_t(op.getHeads()), query.shape[1],
                     key.shape[1]};
  for (auto [what, dim] :
       {std::pair("batch of the mask", 0), std::pair("heads of the mask", 1),
        std::pair("queries of the mask", 2), std::pair("keys of the mask", 3)})
    if (mask && mask->sizes[dim])
      if (llvm::Error error =
              expectSize(op, what, sizes[dim], *mask->sizes[dim]))
        return error;
  return llvm::Error::success();
}

// output = linear(attention(q, k, v), Wo, bo)
static llvm::Expected<Results> compute(MultiHeadAttentionOp op,
                                       const Environment &values, Step step) {
  Projections projections = project(op, values, step);
  if (op.getQueryNorm()) {
    double epsilon = op.getEpsilon()->convertToDouble();
    normStep(projections.query, *values.tensor(op.getQueryNorm()), epsilon,
             step);
    normStep(projections.key, *values.tensor(op.getKeyNorm()), epsilon, step);
  }
  const Mask *mask = op.getMask() ? &values[op.getMask()].mask() : nullptr;
  if (llvm::Error error = checkSizes(op, projections, mask))
    return error;
  Attended attended = attend(op, projections, mask);
  step(attended.output, [&] { return attended.outputBounds; });
  step(attended.weights, [&] { return attended.weightBounds; });
  Results results;
  for (AttentionResult wanted : op.getWantedResults())
    results.push_back(wanted == AttentionResult::Output
                          ? linearStep(attended.output,
                                       values[op.getOutputWeight()],
                                       find(op.getOutputBias(), values), step)
                          : attended.weights);
  return results;
}

void registerMultiHeadAttention(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachStepwise<MultiHeadAttentionOp>(context);
  });
}

} // namespace heddle::reference
