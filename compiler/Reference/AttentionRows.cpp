// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/AttentionRows.h"

#include "compiler/Reference/Roundings.h"
#include "runtime/heddle_abi.h"

#include "llvm/Support/Parallel.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Heads::Heads(std::shared_ptr<const Tensor> x, int64_t heads)
    : tensor(std::move(x)), heads(heads), isOutside(tensor->shape.size() == 4),
      batch(tensor->shape[0]), length(tensor->shape[isOutside ? 2 : 1]),
      dimension(tensor->shape.back() / (isOutside ? 1 : heads)) {}

llvm::Expected<AttentionRows> AttentionRows::of(AttentionOp op,
                                                const Environment &values,
                                                const ErrorBounds *errors) {
  llvm::Expected<AttentionRows> rows =
      of(op, Heads(values.tensor(op.getQuery()), op.getHeads()),
         Heads(values.tensor(op.getKey()), op.getKvHeads()),
         Heads(values.tensor(op.getValue()), op.getKvHeads()),
         op.getMask() ? &values[op.getMask()].mask() : nullptr,
         op.getScaleOrDefault(), /*hasErrors=*/errors != nullptr);
  if (!rows)
    return rows;
  if (op.getSinks())
    rows->sinks = values.tensor(op.getSinks());
  if (op.changesScores())
    if (llvm::Error error = rows->change(op, values, errors))
      return error;
  return rows;
}

llvm::Expected<AttentionRows> AttentionRows::of(Operation *op, Heads query,
                                                Heads key, Heads value,
                                                const Mask *mask, double scale,
                                                bool hasErrors) {
  AttentionRows rows(std::move(query), std::move(key), std::move(value), mask,
                     scale);
  rows.hasErrors = hasErrors;
  if (llvm::Error error = rows.check(op))
    return error;
  return rows;
}

llvm::Error AttentionRows::check(Operation *attention) const {
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

//===-- Scores ------------------------------------------------------------===//

// Queries and keys come from memory, so they are exact: products and their sum
// are rounded, and the queries by what they are multiplied with.
Score AttentionRows::rawScore(int64_t b, int64_t h, int64_t q,
                              int64_t k) const {
  Score raw{0, 0};
  double magnitudes = 0;
  for (auto [x, y] :
       llvm::zip_equal(query.of(b, q, h), key.of(b, k, keyHead(h)))) {
    raw.score += x * y;
    magnitudes += std::abs(x * y);
  }
  if (hasErrors)
    raw.error = gamma(query.dimension + 3) * magnitudes;
  return raw;
}

Score AttentionRows::scaledScore(int64_t b, int64_t h, int64_t q,
                                 int64_t k) const {
  Score score = rawScore(b, h, q, k);
  score.score *= scale;
  score.error *= std::abs(scale);
  return score;
}

Score AttentionRows::changedScore(int64_t b, int64_t h, int64_t q,
                                  int64_t k) const {
  if (!changed)
    return scaledScore(b, h, q, k);
  int64_t place = ((b * query.heads + h) * query.length + q) * key.length + k;
  return {changed->data[place],
          changedErrors.empty() ? 0 : changedErrors[place]};
}

llvm::Error AttentionRows::change(AttentionOp op, const Environment &values,
                                  const ErrorBounds *errors) {
  int64_t shape[] = {query.batch, query.heads, query.length, key.length};
  Tensor scores = Tensor::zeros(shape);
  Bounds scoreErrors(errors ? scores.data.size() : 0);
  llvm::parallelFor(0, query.batch * query.heads * query.length, [&](size_t i) {
    int64_t q = i % query.length, h = i / query.length % query.heads;
    int64_t b = i / query.length / query.heads;
    for (int64_t k = 0; k < key.length; ++k) {
      Score score = scaledScore(b, h, q, k);
      scores.data[i * key.length + k] = score.score;
      if (errors)
        scoreErrors[i * key.length + k] = score.error;
    }
  });

  Block &body = op.getScore().front();
  Environment inside;
  for (const auto &symbol : values.allSymbols())
    inside.bind(symbol.getKey(), symbol.getValue());
  inside.set(body.getArgument(0), std::move(scores));
  ErrorBounds bounds(errors ? errors->getRounding() : Rounding::Exactly);
  bounds.set(body.getArgument(0), std::move(scoreErrors));
  for (auto [argument, operand] : llvm::zip_equal(
           body.getArguments().drop_front(), op.getScoreOperands())) {
    inside.set(argument, values[operand]);
    if (errors)
      bounds.set(argument, errors->of(operand).vec());
  }
  Evaluator evaluator(op->getParentOfType<ModuleOp>());
  if (errors)
    evaluator.setObserver([&](Operation *step, ArrayRef<Value>,
                              MutableArrayRef<Value> results,
                              const Environment &environment) {
      bounds.follow(step, results, environment);
    });
  llvm::Expected<Results> results = evaluator.runBlock(body, inside);
  if (!results)
    return results.takeError();
  changed = results->front().tensor();
  if (errors)
    changedErrors = bounds.of(body.getTerminator()->getOperand(0)).vec();
  return llvm::Error::success();
}

//===-- Rows --------------------------------------------------------------===//

AttentionRow AttentionRows::compute(int64_t b, int64_t h, int64_t q) const {
  AttentionRow row{b, h, q, {}, {}, -kInfinity, 0};
  auto add = [&](const Score &score) {
    row.maximum = std::max(row.maximum, score.score);
  };
  // Keys that are not kept are never looked at, so what they hold cannot
  // matter.
  llvm::BitVector kept = mask ? mask->keeps({b, h, q, query.length, key.length})
                              : llvm::BitVector(key.length, true);
  for (int64_t k : kept.set_bits()) {
    Score score = changedScore(b, h, q, k);
    if (score.score == -kInfinity)
      continue;
    row.scores.push_back({score, k});
    add(score);
  }
  if (sinks && sinks->data[h] != -kInfinity) {
    row.sink = Score{sinks->data[h], 0};
    add(*row.sink);
  }
  auto weigh = [&](Score &score) {
    if (hasErrors)
      score.error += u * (row.maximum - score.score) + exp2Error;
    score.weight = std::exp(score.score - row.maximum);
    row.sum += score.weight;
  };
  for (KeptScore &score : row.scores)
    weigh(score);
  if (row.sink)
    weigh(*row.sink);
  return row;
}

void AttentionRows::forEach(
    llvm::function_ref<void(const AttentionRow &)> visit) const {
  llvm::parallelFor(0, query.batch * query.heads * query.length, [&](size_t i) {
    int64_t q = i % query.length, h = i / query.length % query.heads;
    visit(compute(i / query.length / query.heads, h, q));
  });
}

double AttentionRow::scoreError() const {
  double most = sink ? sink->error : 0;
  for (const KeptScore &score : scores)
    most = std::max(most, score.error);
  return most;
}

double AttentionRow::meanError() const {
  double mean = sink ? sink->weight * sink->error : 0;
  for (const KeptScore &score : scores)
    mean += score.weight * score.error;
  return sum == 0 ? 0 : mean / sum;
}

// Each of the sums is rounded, and rescaled once for each 32 keys at most,
// which multiplies it by an exponential.
double AttentionRow::sumError() const {
  double n = scores.size() + (sink ? 1 : 0);
  return gamma(n) + (u + exp2Error) * (n / HEDDLE_CACHE_BLOCK + 1);
}

double weightError(const AttentionRow &row, const Score &k) {
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

} // namespace heddle::reference
