// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/AttentionRows.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
/// A result, or its bounds, while rows are computed.
struct Part {
  AttentionResult kind;
  MutableArrayRef<double> data;
};
} // namespace

static SmallVector<int64_t> shapeOf(const AttentionRows &rows,
                                    AttentionResult kind) {
  const Heads &query = rows.getQuery();
  switch (kind) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized: {
    SmallVector<int64_t> shape = query.tensor->shape;
    shape.back() =
        rows.getValue().dimension * (query.isOutside ? 1 : query.heads);
    return shape;
  }
  case AttentionResult::LogSumExp:
  case AttentionResult::Maximum:
  case AttentionResult::Sum:
    return {query.batch, query.heads, query.length};
  default:
    return {query.batch, query.heads, query.length, rows.getKey().length};
  }
}

// Where the channels of a row's output are.
static MutableArrayRef<double> channelsOf(const AttentionRows &rows,
                                          const AttentionRow &row,
                                          MutableArrayRef<double> data) {
  const Heads &query = rows.getQuery();
  int64_t width = rows.getValue().dimension;
  return data.slice(query.offset(row.b, row.q, row.h) / query.dimension * width,
                    width);
}

static MutableArrayRef<double> keysOf(const AttentionRows &rows,
                                      const AttentionRow &row,
                                      MutableArrayRef<double> data) {
  int64_t count = rows.getKey().length;
  return data.slice(rows.rowIndex(row) * count, count);
}

//===-- Values ------------------------------------------------------------===//

static void addValues(const AttentionRows &rows, const AttentionRow &row,
                      double divisor, MutableArrayRef<double> output) {
  for (const KeptScore &score : row.scores)
    for (auto [o, v] : llvm::zip_equal(
             output, rows.getValue().of(row.b, score.key, rows.keyHead(row.h))))
      o += score.weight / divisor * v;
}

static void computePart(const AttentionRows &rows, const AttentionRow &row,
                        const Part &part) {
  switch (part.kind) {
  case AttentionResult::Output:
    return addValues(rows, row, row.sum, channelsOf(rows, row, part.data));
  case AttentionResult::Unnormalized:
    return addValues(rows, row, 1, channelsOf(rows, row, part.data));
  case AttentionResult::LogSumExp:
    part.data[rows.rowIndex(row)] = row.maximum + std::log(row.sum);
    return;
  case AttentionResult::Maximum:
    part.data[rows.rowIndex(row)] = row.maximum;
    return;
  case AttentionResult::Sum:
    part.data[rows.rowIndex(row)] = row.sum;
    return;
  default:
    break;
  }
  MutableArrayRef<double> keys = keysOf(rows, row, part.data);
  if (part.kind == AttentionResult::MaskedScores)
    llvm::fill(keys, -kInfinity);
  if (part.kind == AttentionResult::MaskedScores ||
      part.kind == AttentionResult::Weights) {
    for (const KeptScore &score : row.scores)
      keys[score.key] = part.kind == AttentionResult::Weights
                            ? score.weight / row.sum
                            : score.score;
    return;
  }
  for (auto [k, element] : llvm::enumerate(keys))
    element = part.kind == AttentionResult::RawScores
                  ? rows.rawScore(row.b, row.h, row.q, k).score
              : part.kind == AttentionResult::ScaledScores
                  ? rows.scaledScore(row.b, row.h, row.q, k).score
                  : rows.changedScore(row.b, row.h, row.q, k).score;
}

std::vector<Tensor> computeResults(const AttentionRows &rows,
                                   ArrayRef<AttentionResult> wanted) {
  std::vector<Tensor> tensors;
  for (AttentionResult kind : wanted)
    tensors.push_back(Tensor::zeros(shapeOf(rows, kind)));
  SmallVector<Part> parts;
  for (auto [kind, tensor] : llvm::zip_equal(wanted, tensors))
    parts.push_back({kind, tensor.data});
  rows.forEach([&](const AttentionRow &row) {
    for (const Part &part : parts)
      computePart(rows, row, part);
  });
  return tensors;
}

static llvm::Expected<Results> evaluate(AttentionOp op,
                                        const Environment &values) {
  llvm::Expected<AttentionRows> rows = AttentionRows::of(op, values);
  if (!rows)
    return rows.takeError();
  Results results;
  for (Tensor &tensor : computeResults(*rows, op.getWantedResults()))
    results.push_back(std::move(tensor));
  return results;
}

//===-- Bounds ------------------------------------------------------------===//

// An error of a score is a relative one of its weight p, before p is divided by
// the sum, which is off by the mean of those errors and by its roundings.
// Where errors are too large for that, p moves by what weightError says.
static double boundWeight(const AttentionRow &row, double common,
                          const Score &score) {
  double relative = score.error + common;
  return relative < 0.1 ? score.weight / row.sum * relative
                        : weightError(row, score);
}

// o[d] = sum_k p[k] v[k, d]. Values come from memory, so they are exact.
static void boundChannels(const AttentionRows &rows, const AttentionRow &row,
                          bool isNormalized, double common,
                          MutableArrayRef<double> bound) {
  double moved = row.sumError() + row.scoreError();
  for (const KeptScore &score : row.scores) {
    double error = isNormalized ? boundWeight(row, common, score)
                                : score.weight * (score.error + moved);
    for (auto [o, v] : llvm::zip_equal(
             bound, rows.getValue().of(row.b, score.key, rows.keyHead(row.h))))
      o += (error + exp2Smallest) * std::abs(v);
  }
}

static void boundPart(const AttentionRows &rows, const AttentionRow &row,
                      const Part &part) {
  // A maximum is one of the scores, which is made one of another unit.
  double ofMaximum = row.scoreError() + 2 * u * std::abs(row.maximum);
  double common = row.meanError() + 2 * row.sumError() + 2 * u;
  bool isEmpty = row.sum == 0;
  switch (part.kind) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized:
    return boundChannels(rows, row, part.kind == AttentionResult::Output,
                         common, channelsOf(rows, row, part.data));
  case AttentionResult::LogSumExp: {
    double log = std::log(row.sum), sum = row.maximum + log;
    double units = findMathError("math.log")->units;
    part.data[rows.rowIndex(row)] =
        isEmpty ? 0
                : row.meanError() + row.sumError() +
                      2 * u * (std::abs(row.maximum) + units * std::abs(log)) +
                      u * std::abs(sum);
    return;
  }
  case AttentionResult::Maximum:
    part.data[rows.rowIndex(row)] = isEmpty ? 0 : ofMaximum;
    return;
  case AttentionResult::Sum:
    part.data[rows.rowIndex(row)] =
        row.sum * (row.meanError() + row.sumError() + row.scoreError()) +
        exp2Smallest * row.scores.size();
    return;
  default:
    break;
  }
  MutableArrayRef<double> keys = keysOf(rows, row, part.data);
  if (part.kind == AttentionResult::Weights) {
    for (const KeptScore &score : row.scores)
      keys[score.key] = boundWeight(row, common, score) + exp2Smallest;
    return;
  }
  if (part.kind == AttentionResult::MaskedScores) {
    for (const KeptScore &score : row.scores)
      keys[score.key] = rows.changedScore(row.b, row.h, row.q, score.key).error;
    return;
  }
  for (auto [k, element] : llvm::enumerate(keys))
    element = part.kind == AttentionResult::RawScores
                  ? rows.rawScore(row.b, row.h, row.q, k).error
              : part.kind == AttentionResult::ScaledScores
                  ? rows.scaledScore(row.b, row.h, row.q, k).error
                  : rows.changedScore(row.b, row.h, row.q, k).error;
}

SmallVector<Bounds> boundResults(const AttentionRows &rows,
                                 ArrayRef<AttentionResult> wanted) {
  SmallVector<Bounds> bounds;
  for (AttentionResult kind : wanted)
    bounds.emplace_back(llvm::product_of(shapeOf(rows, kind)));
  SmallVector<Part> parts;
  for (auto [kind, bound] : llvm::zip_equal(wanted, bounds))
    parts.push_back({kind, bound});
  rows.forEach([&](const AttentionRow &row) {
    for (const Part &part : parts)
      boundPart(rows, row, part);
  });
  return bounds;
}

namespace {
struct BoundedAttention
    : ErrorBoundOpInterface::ExternalModel<BoundedAttention, AttentionOp> {
  SmallVector<Bounds> boundErrors(Operation *operation,
                                  const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    auto op = cast<AttentionOp>(operation);
    llvm::Expected<AttentionRows> rows = AttentionRows::of(op, values, &errors);
    if (!rows) { // The evaluator has reported it.
      llvm::consumeError(rows.takeError());
      return unknownBounds(results);
    }
    return boundResults(*rows, op.getWantedResults());
  }
};
} // namespace

void registerAttention(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, AttentionOp>(context);
    AttentionOp::attachInterface<BoundedAttention>(*context);
  });
}

} // namespace heddle::reference
