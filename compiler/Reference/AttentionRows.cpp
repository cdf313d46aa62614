// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/AttentionRows.h"

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/Roundings.h"
#include "compiler/Reference/ScalarMath.h"
#include "runtime/heddle_abi.h"

#include "llvm/Support/Parallel.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

Heads::Heads(ArrayRef<int64_t> shape, const HeadLayout &layout, int64_t heads)
    : heads(heads), length(shape[layout.length]),
      dimension(shape[layout.channel] / (layout.head ? 1 : heads)) {
  auto strideOf = [&](unsigned dim) {
    return std::accumulate(shape.begin() + dim + 1, shape.end(), int64_t(1),
                           std::multiplies<>());
  };
  for (unsigned dim : layout.batches) {
    batches.emplace_back(shape[dim], strideOf(dim));
    batch *= shape[dim];
  }
  lengthStride = strideOf(layout.length);
  channelStride = strideOf(layout.channel);
  headStride = layout.head ? strideOf(*layout.head) : dimension * channelStride;
}

int64_t Heads::place(int64_t b, int64_t token, int64_t head, int64_t c) const {
  int64_t place = token * lengthStride + head * headStride + c * channelStride;
  for (auto [size, stride] : llvm::reverse(batches)) {
    place += b % size * stride;
    b /= size;
  }
  return place;
}

HeadsOfTokens::HeadsOfTokens(const Tensor &tensor, ArrayRef<double> ofElements,
                             const HeadLayout &layout, int64_t heads)
    : Heads(tensor.shape, layout, heads) {
  data.reserve(tensor.data.size());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t token = 0; token < length; ++token)
      for (int64_t head = 0; head < heads; ++head)
        for (int64_t c = 0; c < dimension; ++c) {
          int64_t element = place(b, token, head, c);
          data.push_back(tensor.data[element]);
          if (!ofElements.empty())
            errors.push_back(ofElements[element]);
        }
}

// Where an element is not exact, it may be rounded to the next number.
void HeadsOfTokens::roundTimes(double factor) {
  const llvm::fltSemantics &f32 = llvm::APFloat::IEEEsingle(),
                           &bf16 = llvm::APFloat::BFloat();
  for (auto [index, element] : llvm::enumerate(data)) {
    element = roundTo(bf16, roundTo(f32, element * roundTo(f32, factor)));
    if (errors.empty() || errors[index] == 0)
      continue;
    errors[index] *= std::abs(factor);
    errors[index] += 2 * bfloatRoundoff * (std::abs(element) + errors[index]);
  }
}

static HeadsOfTokens headsOf(AttentionOp op, mlir::Value operand, int64_t heads,
                             const Environment &values,
                             const ErrorBounds *errors) {
  return HeadsOfTokens(*values.tensor(operand),
                       errors ? errors->of(operand) : ArrayRef<double>(),
                       op.getLayoutOf(operand), heads);
}

AttentionRows::AttentionRows(AttentionOp op, const Environment &values,
                             const ErrorBounds *errors)
    : op(op), query(headsOf(op, op.getQuery(), op.getHeads(), values, errors)),
      key(headsOf(op, op.getKey(), op.getKvHeads(), values, errors)),
      value(headsOf(op, op.getValue(), op.getKvHeads(), values, errors)),
      mask(op.getMask() ? &values[op.getMask()].mask() : nullptr),
      sinks(op.getSinks() ? values.tensor(op.getSinks()) : nullptr),
      scale(op.getScaleOrDefault()) {
  if (op.roundsFactors())
    roundFactors();
}

void AttentionRows::roundFactors() {
  if (std::abs(scale) <= 1) {
    scaledQuery = query;
    scaledQuery->roundTimes(scale);
  }
  for (HeadsOfTokens *operand : {&query, &key, &value})
    operand->roundTimes(1);
}

llvm::Expected<AttentionRows> AttentionRows::of(AttentionOp op,
                                                const Environment &values,
                                                const ErrorBounds *errors) {
  AttentionRows rows(op, values, errors);
  rows.hasErrors = errors != nullptr;
  if (llvm::Error error = rows.check())
    return error;
  if (op.hasTerm())
    if (llvm::Error error = rows.makeTerms(values, errors))
      return error;
  if (op.hasScore())
    if (llvm::Error error = rows.change(values, errors))
      return error;
  if (op.hasFactors())
    if (llvm::Error error = rows.makeFactors(values, errors))
      return error;
  return rows;
}

llvm::Error AttentionRows::check() const {
  Operation *attention = AttentionOp(op);
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", query.batch, key.batch),
        std::tuple("batch of the value", query.batch, value.batch),
        std::tuple("length of the value", key.length, value.length)})
    if (llvm::Error error = expectSize(attention, what, expected, found))
      return error;
  if (!mask)
    return llvm::Error::success();
  for (auto [what, expected, found] :
       {std::tuple("batch of the mask", query.batch, mask->sizes[0]),
        std::tuple("heads of the mask", query.heads, mask->sizes[1]),
        std::tuple("queries of the mask", query.length, mask->sizes[2]),
        std::tuple("keys of the mask", key.length, mask->sizes[3])})
    if (found)
      if (llvm::Error error = expectSize(attention, what, expected, *found))
        return error;
  return llvm::Error::success();
}

double AttentionRows::largestCode() const {
  auto read = AttentionOp(op).getValue().getDefiningOp<CacheReadOp>();
  bool isScaled =
      read &&
      read.getCache().getType().getTypeOf(CachePart::Values).isInteger();
  return isScaled ? 127 : 0;
}

//===-- Scores ------------------------------------------------------------===//

// The error of a score is infinite where its sum may overflow: code overflows
// in other places than the reference, such as products with a scaled query and
// differences of scores.
static double errorOfScore(double score, double error, double magnitudes) {
  bool overflows = std::isfinite(score) && magnitudes >= precision().overflow;
  return overflows ? kInfinity : errorOfSum(score, error, magnitudes);
}

// Products and their sum are rounded, and the queries by what they are
// multiplied with. Errors of queries and keys are those of what memory holds,
// such as products with the scales of a cache.
Score AttentionRows::rawScore(int64_t b, int64_t h, int64_t q,
                              int64_t k) const {
  if (summed) {
    int64_t place = placeOf(b, h, q, k);
    return {summed->tensor->data[place], hasErrors ? summed->errors[place] : 0};
  }
  return sumOf(query, scale, b, h, q, k);
}

Score AttentionRows::sumOf(const HeadsOfTokens &queries, double factor,
                           int64_t b, int64_t h, int64_t q, int64_t k) const {
  Score raw{0, 0};
  double magnitudes = 0, error = 0;
  int64_t c = 0;
  for (auto [x, y] :
       llvm::zip_equal(queries.of(b, q, h), key.of(b, k, keyHead(h)))) {
    raw.score += x * y;
    magnitudes += std::isfinite(x * y) ? std::abs(x * y) : 0;
    // Products of pairs take subnormal factors for 0, too.
    if (hasErrors)
      error += std::abs(x) * key.errorOf(b, k, keyHead(h), c) +
               std::abs(y) * queries.errorOf(b, q, h, c) +
               precision().leastError * (2 + std::abs(x) + std::abs(y));
    ++c;
  }
  if (hasErrors)
    raw.error =
        errorOfScore(raw.score, error + gamma(query.dimension + 3) * magnitudes,
                     magnitudes * std::max(1.0, std::abs(factor)));
  return raw;
}

Score AttentionRows::scaledScore(int64_t b, int64_t h, int64_t q,
                                 int64_t k) const {
  if (scaledQuery)
    return sumOf(*scaledQuery, /*factor=*/1, b, h, q, k);
  Score score = rawScore(b, h, q, k);
  score.score *= scale;
  double rounding = summed ? precision().roundoff * std::abs(score.score) : 0;
  // Where queries are scaled, 0 has another sign.
  if (scale == 0)
    rounding = std::numeric_limits<float>::denorm_min();
  if (!isUnknown(score.error))
    score.error = score.error * std::abs(scale) + rounding;
  return score;
}

Score AttentionRows::changedScore(int64_t b, int64_t h, int64_t q,
                                  int64_t k) const {
  if (!changed)
    return scaledScore(b, h, q, k);
  int64_t place = placeOf(b, h, q, k);
  return {changed->tensor->data[place],
          changed->errors.empty() ? 0 : changed->errors[place]};
}

llvm::Expected<AttentionRows::Bounded>
AttentionRows::run(Region &region, ArrayRef<Bounded> own, ValueRange operands,
                   const Environment &values, const ErrorBounds *errors) const {
  Block &body = region.front();
  Environment inside;
  for (const auto &symbol : values.allSymbols())
    inside.bind(symbol.getKey(), symbol.getValue());
  ErrorBounds bounds(errors ? errors->getRounding() : Rounding::Exactly);
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments().take_front(own.size()), own)) {
    inside.set(argument, Tensor(*value.tensor));
    bounds.set(argument, value.errors);
  }
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments().drop_front(own.size()), operands)) {
    inside.set(argument, values[operand]);
    if (errors)
      bounds.set(argument, errors->of(operand).vec());
  }
  Evaluator evaluator(AttentionOp(op)->getParentOfType<ModuleOp>());
  if (errors)
    evaluator.setObserver([&](Operation *step, ArrayRef<Value>,
                              MutableArrayRef<Value> results,
                              const Environment &environment) {
      bounds.follow(step, results, environment);
    });
  llvm::Expected<Results> results = evaluator.runBlock(body, inside);
  if (!results)
    return results.takeError();
  Bounded result{results->front().tensor(), {}};
  if (errors)
    result.errors = bounds.of(body.getTerminator()->getOperand(0)).vec();
  return result;
}

llvm::Error AttentionRows::makeTerms(const Environment &values,
                                     const ErrorBounds *errors) {
  int64_t shape[] = {query.batch, query.heads, query.length, key.length,
                     query.dimension};
  auto queries = std::make_shared<Tensor>(Tensor::zeros(shape));
  auto keys = std::make_shared<Tensor>(Tensor::zeros(shape));
  Bounds queryErrors(query.errors.empty() ? 0 : queries->data.size()),
      keyErrors(key.errors.empty() ? 0 : keys->data.size());
  int64_t pairs = query.batch * query.heads * query.length * key.length;
  for (int64_t i = 0; i < pairs; ++i) {
    int64_t k = i % key.length, q = i / key.length % query.length;
    int64_t h = i / key.length / query.length % query.heads;
    int64_t b = i / key.length / query.length / query.heads;
    llvm::copy(query.of(b, q, h), &queries->data[i * query.dimension]);
    llvm::copy(key.of(b, k, keyHead(h)), &keys->data[i * query.dimension]);
    for (int64_t c = 0; c < query.dimension; ++c) {
      if (!queryErrors.empty())
        queryErrors[i * query.dimension + c] = query.errorOf(b, q, h, c);
      if (!keyErrors.empty())
        keyErrors[i * query.dimension + c] = key.errorOf(b, k, keyHead(h), c);
    }
  }
  Region &region = AttentionOp(op).getTerm();
  auto terms = run(region, {{queries, queryErrors}, {keys, keyErrors}},
                   AttentionOp(op).getTermOperands(), values, errors);
  if (!terms)
    return terms.takeError();
  auto sums =
      std::make_shared<Tensor>(Tensor::zeros(ArrayRef(shape).drop_back()));
  Bounds sumErrors(errors ? pairs : 0);
  for (int64_t i = 0; i < pairs; ++i) {
    double magnitudes = 0;
    for (int64_t c = i * query.dimension; c < (i + 1) * query.dimension; ++c) {
      double term = terms->tensor->data[c];
      sums->data[i] += term;
      magnitudes += std::isfinite(term) ? std::abs(term) : 0;
      if (errors && !terms->errors.empty())
        sumErrors[i] += terms->errors[c];
    }
    if (errors)
      sumErrors[i] = errorOfScore(
          sums->data[i], sumErrors[i] + gamma(query.dimension) * magnitudes,
          magnitudes * std::max(1.0, std::abs(scale)));
  }
  summed = Bounded{sums, sumErrors};
  return llvm::Error::success();
}

llvm::Error AttentionRows::change(const Environment &values,
                                  const ErrorBounds *errors) {
  int64_t shape[] = {query.batch, query.heads, query.length, key.length};
  auto scores = std::make_shared<Tensor>(Tensor::zeros(shape));
  Bounds scoreErrors(errors ? scores->data.size() : 0);
  llvm::parallelFor(0, query.batch * query.heads * query.length, [&](size_t i) {
    int64_t q = i % query.length, h = i / query.length % query.heads;
    int64_t b = i / query.length / query.heads;
    for (int64_t k = 0; k < key.length; ++k) {
      Score score = scaledScore(b, h, q, k);
      scores->data[i * key.length + k] = score.score;
      if (errors)
        scoreErrors[i * key.length + k] = score.error;
    }
  });
  auto result = run(AttentionOp(op).getScore(), {{scores, scoreErrors}},
                    AttentionOp(op).getScoreOperands(), values, errors);
  if (!result)
    return result.takeError();
  changed = *result;
  return llvm::Error::success();
}

llvm::Error AttentionRows::makeFactors(const Environment &values,
                                       const ErrorBounds *errors) {
  int64_t shape[] = {query.batch, query.heads, query.length, key.length};
  auto ones = std::make_shared<Tensor>(Tensor::zeros(shape));
  llvm::fill(ones->data, 1);
  auto result = run(AttentionOp(op).getFactors(), Bounded{ones, {}},
                    AttentionOp(op).getFactorOperands(), values, errors);
  if (!result)
    return result.takeError();
  factors = *result;
  return llvm::Error::success();
}

//===-- Rows --------------------------------------------------------------===//

static RowErrors sumUpErrors(const AttentionRow &row) {
  RowErrors errors;
  double magnitudes = 0, total = 0, weighted = 0;
  auto add = [&](const Score &score) {
    errors.score = isUnknown(score.error) ? kInfinity
                                          : std::max(errors.score, score.error);
    weighted += score.weight * score.error;
  };
  for (const KeptScore &score : row.scores) {
    add(score);
    total += score.error;
    magnitudes += std::abs(score.weight);
  }
  if (row.sink)
    add(*row.sink);
  errors.mean = row.sum == 0 ? 0 : weighted / row.sum;
  // Each of the sums is rounded, and rescaled once for each 32 keys at most,
  // which multiplies it by an exponential.
  double n = row.scores.size() + (row.sink ? 1 : 0);
  errors.sum =
      gamma(n) + (precision().roundoff + precision().exponentialError) *
                     (n / HEDDLE_CACHE_BLOCK + 1);
  errors.plainSum = total + errors.sum * magnitudes;
  return errors;
}

AttentionRow AttentionRows::compute(int64_t b, int64_t h, int64_t q) const {
  AttentionRow row{b,  h,          q, {},
                   {}, -kInfinity, 0, AttentionOp(op).getNormalize()};
  auto add = [&](const Score &score) {
    row.maximum = std::max(row.maximum, score.score);
  };
  // Keys that are not kept are never looked at, so what they hold cannot
  // matter.
  llvm::BitVector kept = mask ? mask->keeps({b, h, q, query.length, key.length})
                              : llvm::BitVector(key.length, true);
  int64_t splits = AttentionOp(op).getSplitCount();
  for (int64_t k : kept.set_bits()) {
    if (k / HEDDLE_CACHE_BLOCK % splits != split)
      continue;
    Score score = changedScore(b, h, q, k);
    if (score.score == -kInfinity)
      continue;
    KeptScore kept{score, k};
    if (factors) {
      int64_t place = placeOf(b, h, q, k);
      kept.factor = factors->tensor->data[place];
      kept.factorError = factors->errors.empty() ? 0 : factors->errors[place];
    }
    row.scores.push_back(kept);
    add(score);
  }
  if (sinks && sinks->data[h] != -kInfinity && split == 0) {
    row.sink = Score{sinks->data[h], 0};
    add(*row.sink);
  }
  auto weigh = [&](Score &score, double rounding) {
    score.weight = score.score;
    if (row.normalize == Normalization::Softmax) {
      // The difference is rounded, log2(e) is, and their product.
      double difference = row.maximum - score.score;
      if (hasErrors && std::isfinite(difference))
        score.error += 3 * precision().roundoff * difference +
                       precision().exponentialError + rounding;
      score.weight = std::exp(score.score - row.maximum);
    }
    row.sum += score.weight;
  };
  for (KeptScore &score : row.scores)
    weigh(score, AttentionOp(op).roundsFactors() ? bfloatRoundoff : 0);
  if (row.sink)
    weigh(*row.sink, 0);
  if (hasErrors)
    row.errors = sumUpErrors(row);
  return row;
}

void AttentionRows::forEach(
    llvm::function_ref<void(const AttentionRow &)> visit) const {
  llvm::parallelFor(0, query.batch * query.heads * query.length, [&](size_t i) {
    int64_t q = i % query.length, h = i / query.length % query.heads;
    visit(compute(i / query.length / query.heads, h, q));
  });
}

// The weight exp(k) / sum_j exp(j) for errors of any size: to where all others
// have moved the other way, at most.
static double largeError(const AttentionRow &row, const Score &k) {
  double less = 0, more = 0;
  auto add = [&](const Score &j) {
    if (&j == &k)
      return;
    less += std::exp(j.score - k.score + (j.error + k.error));
    more += std::exp(j.score - k.score - (j.error + k.error));
  };
  for (const KeptScore &j : row.scores)
    add(j);
  if (row.sink)
    add(*row.sink);
  double p = k.weight / row.sum;
  return std::max(p - 1 / (1 + less), 1 / (1 + more) - p);
}

// An error of a score is a relative one of its weight p, before p is divided by
// the sum, which is off by the mean of those errors and by its roundings.
static double softmaxError(const AttentionRow &row, const Score &k) {
  double relative =
      k.error + row.errors.mean + 2 * row.errors.sum + 2 * precision().roundoff;
  return relative < 0.1 ? row.plainShare(k) * relative : largeError(row, k);
}

static double plainShareError(const AttentionRow &row, const Score &k) {
  if (row.normalize == Normalization::Softmax)
    return softmaxError(row, k);
  double own = k.error + std::abs(k.weight) * row.errors.sum;
  if (row.normalize == Normalization::None)
    return own;
  double off = row.errors.plainSum, sum = std::abs(row.sum);
  if (off >= sum)
    return off == 0 ? 0 : kInfinity;
  double share = std::abs(k.weight) / sum;
  return (own + share * off) / (sum - off) + 2 * precision().roundoff * share;
}

double shareError(const AttentionRow &row, const KeptScore &k) {
  if (row.isAny())
    return kInfinity;
  double rounding =
      k.factor == 1 ? 0 : precision().roundoff * std::abs(k.factor);
  return plainShareError(row, k) * std::abs(k.factor) +
         std::abs(row.plainShare(k)) * (k.factorError + rounding);
}

} // namespace heddle::reference
