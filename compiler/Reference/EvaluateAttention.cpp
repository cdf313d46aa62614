// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/AttentionRows.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"
#include "compiler/Reference/ScalarMath.h"

#include "llvm/Support/Parallel.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

namespace {
/// A result, or its bounds, while rows are computed.
struct Part {
  AttentionResult kind;
  Heads heads; ///< of the output
  MutableArrayRef<double> data;

  /// Channel `c` of a row's output.
  double &channel(const AttentionRow &row, int64_t c) const {
    return data[heads.place(row.b, row.q, row.h, c)];
  }
};
} // namespace

// What the dimensions of operands and results have, of a split.
static SmallVector<int64_t> shapeOf(AttentionOp op, const AttentionRows &rows,
                                    ArrayRef<int64_t> query,
                                    AttentionResult kind) {
  HeadLayout from = op.getLayoutOf(op.getQuery());
  SmallVector<int64_t> batches = llvm::map_to_vector(
      from.batches, [&](unsigned dim) { return query[dim]; });
  int64_t heads = rows.getQuery().heads, length = rows.getQuery().length;
  switch (kind) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized: {
    HeadLayout to = op.getLayoutOfOutput();
    SmallVector<int64_t> shape(to.getRank());
    for (auto [dim, size] : llvm::zip_equal(to.batches, batches))
      shape[dim] = size;
    if (to.head)
      shape[*to.head] = heads;
    shape[to.length] = length;
    shape[to.channel] = rows.getValue().dimension * (to.head ? 1 : heads);
    return shape;
  }
  case AttentionResult::LogSumExp:
  case AttentionResult::Maximum:
  case AttentionResult::Sum:
    batches.append({heads, length});
    return batches;
  case AttentionResult::ColumnSums:
    batches.append({heads, rows.getKey().length});
    return batches;
  default:
    batches.append({heads, length, rows.getKey().length});
    return batches;
  }
}

static MutableArrayRef<double> keysOf(const AttentionRows &rows,
                                      const AttentionRow &row,
                                      MutableArrayRef<double> data) {
  int64_t count = rows.getKey().length;
  return data.slice(rows.rowIndex(row) * count, count);
}

//===-- Values ------------------------------------------------------------===//

static void addValues(const AttentionRows &rows, const AttentionRow &row,
                      bool isNormalized, const Part &part) {
  if (isNormalized && std::isnan(row.sum))
    for (int64_t c = 0; c < rows.getValue().dimension; ++c)
      part.channel(row, c) = row.sum;
  for (const KeptScore &score : row.scores)
    for (auto [c, v] : llvm::enumerate(
             rows.getValue().of(row.b, score.key, rows.keyHead(row.h))))
      part.channel(row, c) +=
          (isNormalized ? row.share(score) : score.weight * score.factor) * v;
}

static void computePart(const AttentionRows &rows, const AttentionRow &row,
                        const Part &part) {
  switch (part.kind) {
  case AttentionResult::Output:
    return addValues(rows, row, /*isNormalized=*/true, part);
  case AttentionResult::Unnormalized:
    return addValues(rows, row, /*isNormalized=*/false, part);
  case AttentionResult::LogSumExp:
    part.data[rows.rowIndex(row)] = row.maximum + std::log(row.sum);
    return;
  case AttentionResult::Maximum:
    part.data[rows.rowIndex(row)] =
        std::isnan(row.sum) && row.maximum != kInfinity ? row.sum : row.maximum;
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
      keys[score.key] = part.kind == AttentionResult::Weights ? row.share(score)
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

// What a split has of tensors, one for each result.
static SmallVector<Part> partsOf(AttentionOp op, const AttentionRows &rows,
                                 ArrayRef<SmallVector<int64_t>> shapes,
                                 ArrayRef<MutableArrayRef<double>> data,
                                 int64_t split) {
  SmallVector<Part> parts;
  for (auto [kind, shape, all] :
       llvm::zip_equal(op.getWantedResults(), shapes, data)) {
    size_t count = all.size() / op.getSplitCount();
    MutableArrayRef<double> elements = all.slice(split * count, count);
    bool hasChannels = kind == AttentionResult::Output ||
                       kind == AttentionResult::Unnormalized;
    Heads heads = rows.getQuery();
    if (hasChannels)
      heads = Heads(shape, op.getLayoutOfOutput(), heads.heads);
    parts.push_back({kind, heads, elements});
  }
  return parts;
}

// Adds up what all queries of a head have for each key.
static void sumColumns(
    const AttentionRows &rows, ArrayRef<Part> parts,
    llvm::function_ref<double(const AttentionRow &, const KeptScore &)> term) {
  const auto *found = llvm::find_if(parts, [](const Part &part) {
    return part.kind == AttentionResult::ColumnSums;
  });
  if (found == parts.end())
    return;
  int64_t heads = rows.getQuery().heads, keys = rows.getKey().length;
  llvm::parallelFor(0, rows.getQuery().batch * heads, [&](size_t i) {
    for (int64_t q = 0; q < rows.getQuery().length; ++q) {
      AttentionRow row = rows.compute(i / heads, i % heads, q);
      for (const KeptScore &score : row.scores)
        found->data[i * keys + score.key] += term(row, score);
    }
  });
}

// Computes all `data`, of each split what `ofRow` and `ofColumn` say.
static void
forEachSplit(AttentionOp op, AttentionRows &rows,
             ArrayRef<SmallVector<int64_t>> shapes,
             ArrayRef<MutableArrayRef<double>> data,
             llvm::function_ref<void(const AttentionRow &, const Part &)> ofRow,
             llvm::function_ref<double(const AttentionRow &, const KeptScore &)>
                 ofColumn) {
  for (int64_t split = 0; split < op.getSplitCount(); ++split) {
    SmallVector<Part> parts = partsOf(op, rows, shapes, data, split);
    rows.select(split);
    rows.forEach([&](const AttentionRow &row) {
      for (const Part &part : parts)
        if (part.kind != AttentionResult::ColumnSums)
          ofRow(row, part);
    });
    sumColumns(rows, parts, ofColumn);
  }
}

static llvm::Expected<Results> evaluate(AttentionOp op,
                                        const Environment &values) {
  llvm::Expected<AttentionRows> rows = AttentionRows::of(op, values);
  if (!rows)
    return rows.takeError();
  std::vector<Tensor> tensors;
  SmallVector<SmallVector<int64_t>> shapes;
  for (AttentionResult kind : op.getWantedResults()) {
    shapes.push_back(
        shapeOf(op, *rows, values.tensor(op.getQuery())->shape, kind));
    SmallVector<int64_t> all(shapes.back());
    if (op.getSplits())
      all.insert(all.begin(), op.getSplitCount());
    tensors.push_back(Tensor::zeros(all));
  }
  SmallVector<MutableArrayRef<double>> data(tensors.size());
  for (auto [elements, tensor] : llvm::zip_equal(data, tensors))
    elements = tensor.data;
  forEachSplit(
      op, *rows, shapes, data,
      [&](const AttentionRow &row, const Part &part) {
        computePart(*rows, row, part);
      },
      [](const AttentionRow &row, const KeptScore &score) {
        return row.share(score);
      });
  Results results;
  for (auto [tensor, value] : llvm::zip_equal(tensors, op.getResults())) {
    auto type = cast<FloatType>(getElementTypeOrSelf(value));
    if (!type.isF32())
      for (double &element : tensor.data)
        element = roundTo(type.getFloatSemantics(), element);
    results.push_back(std::move(tensor));
  }
  return results;
}

//===-- Bounds ------------------------------------------------------------===//

// o[d] = sum_k p[k] v[k, d]. A weight is 1 at most before it is divided by
// their sum, so that sums of values that are in range are.
static void boundChannels(const AttentionRows &rows, const AttentionRow &row,
                          bool isNormalized, const Part &part) {
  const HeadsOfTokens &values = rows.getValue();
  int64_t head = rows.keyHead(row.h);
  std::vector<double> errors(values.dimension), magnitudes(values.dimension);
  double moved = row.errors.sum + row.errors.score;
  // Weights take the scales of integers, and what such a product loses counts
  // as often as the integer says.
  double code = rows.largestCode();
  for (const KeptScore &score : row.scores) {
    double error = score.weight * (score.error + moved);
    if (row.normalize == Normalization::Sum)
      error = score.error + row.errors.sum * std::abs(score.weight);
    error =
        error * std::abs(score.factor) +
        std::abs(score.weight) *
            (score.factorError + precision().roundoff * std::abs(score.factor));
    if (isNormalized || row.normalize == Normalization::None)
      error = shareError(row, score);
    double weight =
        isNormalized ? row.share(score) : score.weight * score.factor;
    for (auto [c, v] : llvm::enumerate(values.of(row.b, score.key, head))) {
      // Infinity takes all, unless its weight may be 0.
      if (std::isinf(v) &&
          std::abs(weight) > error + precision().smallestExponential)
        continue;
      errors[c] += (error + precision().smallestExponential) * std::abs(v) +
                   std::abs(weight) *
                       values.errorOf(row.b, score.key, head, int64_t(c)) +
                   precision().leastError * (2 + code + std::abs(weight));
      double most = std::max({1.0, std::abs(score.weight), std::abs(weight)});
      magnitudes[c] += most * std::abs(v);
    }
  }
  // The row of a query that keeps no key is exact.
  if (row.scores.empty())
    return;
  for (int64_t c = 0; c < values.dimension; ++c) {
    // Only large values have large sums of weights from 0 to 1.
    bool overflows =
        magnitudes[c] >= precision().overflow && std::isfinite(magnitudes[c]);
    part.channel(row, c) =
        overflows || row.isAny() ? kInfinity : std::max(errors[c], kEitherSign);
  }
}

static void boundPart(const AttentionRows &rows, const AttentionRow &row,
                      const Part &part) {
  bool isEmpty = row.sum == 0;
  bool isOfRow = part.kind == AttentionResult::LogSumExp ||
                 part.kind == AttentionResult::Maximum ||
                 part.kind == AttentionResult::Sum;
  if (isOfRow && row.isAny()) {
    part.data[rows.rowIndex(row)] = kInfinity;
    return;
  }
  // NaN is NaN for certain, and all that is divided by it.
  bool isDivided = part.kind == AttentionResult::Output ||
                   part.kind == AttentionResult::Weights || isOfRow;
  if (isDivided && std::isnan(row.sum) && !row.isAny())
    return;
  switch (part.kind) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized:
    return boundChannels(rows, row, part.kind == AttentionResult::Output, part);
  case AttentionResult::LogSumExp: {
    double log = std::log(row.sum), sum = row.maximum + log;
    double units = findMathError("math.log")->units;
    part.data[rows.rowIndex(row)] =
        isEmpty ? 0
                : row.errors.mean + row.errors.sum +
                      2 * precision().roundoff *
                          (std::abs(row.maximum) + units * std::abs(log)) +
                      precision().roundoff * std::abs(sum);
    return;
  }
  case AttentionResult::Maximum:
    part.data[rows.rowIndex(row)] = isEmpty ? 0 : row.errors.score;
    return;
  case AttentionResult::Sum:
    part.data[rows.rowIndex(row)] =
        row.normalize != Normalization::Softmax
            ? row.errors.plainSum
            : row.sum * (row.errors.mean + row.errors.sum + row.errors.score) +
                  precision().smallestExponential * row.scores.size();
    return;
  default:
    break;
  }
  MutableArrayRef<double> keys = keysOf(rows, row, part.data);
  if (part.kind == AttentionResult::Weights) {
    for (const KeptScore &score : row.scores)
      keys[score.key] =
          shareError(row, score) + precision().smallestExponential;
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

// Of results that were rounded to a shorter type: what is within `bound` of
// their element is rounded to what is that far from it, at most.
static void boundRounding(FloatType type, ArrayRef<double> elements,
                          Bounds &bound) {
  if (type.isF32())
    return;
  double unit = std::ldexp(1.0, -int(type.getFPMantissaWidth()));
  double least =
      APFloat::getSmallest(type.getFloatSemantics()).convertToDouble();
  for (auto [element, error] : llvm::zip_equal(elements, bound))
    error = (1 + unit) * error + 2 * (unit * std::abs(element) + least);
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
    std::vector<Bounds> bounds;
    SmallVector<SmallVector<int64_t>> shapes;
    for (const Value &result : results) {
      bounds.emplace_back(result.tensor()->data.size());
      ArrayRef<int64_t> shape = result.tensor()->shape;
      shapes.emplace_back(op.getSplits() ? shape.drop_front() : shape);
    }
    SmallVector<MutableArrayRef<double>> data(bounds.begin(), bounds.end());
    double roundings = gamma(rows->getQuery().length);
    forEachSplit(
        op, *rows, shapes, data,
        [&](const AttentionRow &row, const Part &part) {
          boundPart(*rows, row, part);
        },
        [&](const AttentionRow &row, const KeptScore &score) {
          return shareError(row, score) + precision().smallestExponential +
                 roundings * std::abs(row.share(score));
        });
    for (auto [bound, value, result] :
         llvm::zip_equal(bounds, op.getResults(), results))
      boundRounding(cast<FloatType>(getElementTypeOrSelf(value)),
                    result.tensor()->data, bound);
    return {bounds.begin(), bounds.end()};
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
