// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scores are often changed by, and attention over parts of the keys,
// merged.

#include "compiler/Reference/ApproxTensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

// softcap(s) = cap * tanh(s / cap)
static llvm::Expected<ApproxTensors> compute(SoftcapOp op,
                                             const Operands &operands) {
  Approx cap = Approx::constant(op.getCap().convertToDouble());
  Approx inverse = Approx(1) / cap;
  ApproxTensor y = operands[op.getScores()];
  for (Approx &s : y.data)
    s = cap * tanh(s * inverse);
  return ApproxTensors{y};
}

//===-- Distances ---------------------------------------------------------===//

// Adds term(h, k - p) to each score, where p is the key at which its query
// stands.
template <typename Op>
static llvm::Expected<ApproxTensors>
addOfDistance(Op op, const Operands &operands,
              llvm::function_ref<Approx(int64_t h, int64_t distance)> term) {
  ApproxTensor y = operands[op.getScores()];
  int64_t batch = y.shape[0], heads = y.shape[1], queries = y.shape[2],
          keys = y.shape[3];
  std::shared_ptr<const Tensor> offset;
  if (op.getOffset()) {
    offset = operands.values.tensor(op.getOffset());
    if (llvm::Error error = expectSize(op, "offset", batch, offset->shape[0]))
      return error;
  }
  for (int64_t b = 0; b < batch; ++b) {
    int64_t first = offset ? offset->integer(b)
                    : *op.getAlign() == Alignment::BottomRight ? keys - queries
                                                               : 0;
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t q = 0; q < queries; ++q)
        for (int64_t k = 0; k < keys; ++k) {
          Approx &s = y.at({b, h, q, k});
          s = s + term(h, k - (q + first));
        }
  }
  return ApproxTensors{y};
}

// alibi(s)[b, h, q, k] = s[b, h, q, k] + slopes[h] * (k - p)
static llvm::Expected<ApproxTensors> compute(AlibiOp op,
                                             const Operands &operands) {
  ApproxTensor slopes = operands[op.getSlopes()];
  return addOfDistance(op, operands, [&](int64_t h, int64_t distance) {
    return slopes.data[h] * Approx::constant(double(distance));
  });
}

// log(d / e) / log(m / e) * n, rounded down; what a double cannot tell from an
// integer is one.
static int64_t bucketOfLogarithm(int64_t d, int64_t e, int64_t m, int64_t n) {
  double exact = double(n) * std::log(double(d) / double(e)) /
                 std::log(double(m) / double(e));
  double nearest = std::round(exact);
  return int64_t(std::abs(exact - nearest) < 1e-12 ? nearest
                                                   : std::floor(exact));
}

// i(n) of the .td
static int64_t rowOfDistance(RelativeBiasOp op, int64_t rows, int64_t n) {
  if (!op.getBuckets()) {
    int64_t m = (rows - 1) / 2;
    return std::clamp(n, -m, m) + m;
  }
  bool areBoth = *op.getBuckets() == Buckets::Both;
  int64_t c = areBoth ? rows / 2 : rows, e = c / 2, m = *op.getDistance();
  if (!areBoth)
    n = std::min<int64_t>(n, 0);
  int64_t d = std::abs(n);
  int64_t bucket =
      d < e ? d : std::min(c - 1, e + bucketOfLogarithm(d, e, m, c - e));
  return bucket + (areBoth && n > 0 ? c : 0);
}

// relative_bias(s)[b, h, q, k] = s[b, h, q, k] + table[i(k - p), h]
static llvm::Expected<ApproxTensors> compute(RelativeBiasOp op,
                                             const Operands &operands) {
  ApproxTensor table = operands[op.getTable()];
  return addOfDistance(op, operands, [&](int64_t h, int64_t distance) {
    return table.at({rowOfDistance(op, table.shape[0], distance), h});
  });
}

//===-- heddle.merge_attention --------------------------------------------===//

namespace {
/// One row of the parts: a query of a head.
struct MergedRow {
  Approx maximum = -std::numeric_limits<double>::infinity(), sum = 0;
  SmallVector<Approx> factors; ///< exp(maximum_i - maximum)
};
} // namespace

static MergedRow mergeRow(ArrayRef<ApproxTensor> maxima,
                          ArrayRef<ApproxTensor> sums, int64_t row) {
  MergedRow merged;
  for (const ApproxTensor &part : maxima)
    merged.maximum = maximum(merged.maximum, part.data[row]);
  Sum sum;
  for (auto [ownMaximum, ownSum] : llvm::zip_equal(maxima, sums)) {
    // Of a part that keeps no key, also where none does.
    bool isNone = std::isinf(ownMaximum.data[row].value) &&
                  ownMaximum.data[row].value < 0;
    merged.factors.push_back(
        isNone ? Approx() : exp(ownMaximum.data[row] - merged.maximum));
    sum.add(ownSum.data[row] * merged.factors.back());
  }
  merged.sum = sum.result();
  return merged;
}

static Approx mergeChannel(ArrayRef<ApproxTensor> parts, const MergedRow &row,
                           size_t element) {
  Sum sum;
  for (auto [part, factor] : llvm::zip_equal(parts, row.factors))
    sum.add(part.data[element] * factor);
  return sum.result();
}

static llvm::Expected<ApproxTensors> compute(MergeAttentionOp op,
                                             const Operands &operands) {
  auto read = [&](ValueRange names) {
    return llvm::map_to_vector(
        names, [&](mlir::Value name) { return operands[name]; });
  };
  SmallVector<ApproxTensor> parts = read(op.getUnnormalized()),
                            maxima = read(op.getMaxima()),
                            sums = read(op.getSums());
  ArrayRef<int64_t> shape = parts.front().shape;
  ArrayRef<int64_t> ofRows = maxima.front().shape;
  int64_t heads = ofRows[ofRows.size() - 2], length = ofRows.back();
  SmallVector<MergedRow> rows;
  for (size_t row = 0; row < maxima.front().data.size(); ++row)
    rows.push_back(mergeRow(maxima, sums, row));
  HeadLayout layout = op.getLayoutOfParts();
  auto rowOf = [&](int64_t element) {
    SmallVector<int64_t> at(shape.size());
    for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
      at[dim] = element % shape[dim];
    int64_t row = 0;
    for (unsigned batch : layout.batches)
      row = row * shape[batch] + at[batch];
    int64_t head = layout.head
                       ? at[*layout.head]
                       : at[layout.channel] / (shape[layout.channel] / heads);
    return (row * heads + head) * length + at[layout.length];
  };
  ApproxTensors results;
  for (AttentionResult kind : op.getWantedResults()) {
    bool hasChannels = kind == AttentionResult::Output ||
                       kind == AttentionResult::Unnormalized;
    ApproxTensor &result = results.emplace_back(
        ApproxTensor::ofShape(hasChannels ? shape : maxima.front().shape));
    for (auto [i, element] : llvm::enumerate(result.data)) {
      const MergedRow &row = rows[hasChannels ? rowOf(int64_t(i)) : i];
      if (kind == AttentionResult::Maximum)
        element = row.maximum;
      else if (kind == AttentionResult::Sum)
        element = row.sum;
      else if (kind == AttentionResult::LogSumExp)
        element = row.maximum + log(row.sum);
      else
        element = mergeChannel(parts, row, i);
      if (kind == AttentionResult::Output)
        element = row.sum.value == 0 ? Approx() : element / row.sum;
    }
  }
  return results;
}

void registerScores(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<SoftcapOp, AlibiOp, RelativeBiasOp, MergeAttentionOp>(
        context);
  });
}

} // namespace heddle::reference
