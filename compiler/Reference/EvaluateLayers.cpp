// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace heddle::reference {

// embedding(ids, table)[.., c] = table[ids[..], c], with ids clamped to the
// table
static llvm::Expected<Value> evaluate(EmbeddingOp op,
                                      const Environment &values) {
  auto ids = values.tensor(op.getIds());
  const Value &table = values[op.getTable()];
  int64_t rows = table.shape()[0];
  SmallVector<int64_t> shape(ids->shape);
  shape.push_back(table.shape()[1]);
  Tensor result = Tensor::zeros(shape);
  for (size_t i = 0; i < ids->data.size(); ++i)
    table.readRow(std::clamp<int64_t>(ids->integer(i), 0, rows - 1),
                  result.row(i));
  return result;
}

// rms_norm(x, w)[.., c] = x[.., c] / sqrt(mean(x[.., :]^2) + epsilon) * w[c]
static llvm::Expected<Value> evaluate(RMSNormOp op, const Environment &values) {
  auto x = values.tensor(op.getInput()), w = values.tensor(op.getWeight());
  double epsilon = op.getEpsilon().convertToDouble();
  Tensor result = Tensor::zeros(x->shape);
  for (int64_t row = 0; row < x->rows(); ++row) {
    double squares = 0;
    for (double value : x->row(row))
      squares += value * value;
    double root = std::sqrt(toRange(squares) / x->channels() + epsilon);
    for (int64_t c = 0; c < x->channels(); ++c)
      result.row(row)[c] = x->row(row)[c] / root * w->data[c];
  }
  return result;
}

// y = x r w with r = 1 / sqrt(mean(x^2) + epsilon). The sum of squares has no
// cancellation, and its root halves relative errors; 8 operations come after
// it. Errors e of x add |w| r (e + |x| r^2 mean(|x| e)). Squares of small
// numbers are off by the least error, of which the root makes half of its share
// in the mean.
static Bounds boundOf(RMSNormOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  auto x = values.tensor(op.getInput()), w = values.tensor(op.getWeight());
  int64_t channels = x->channels();
  Bounds bound;
  for (int64_t row = 0; row < x->rows(); ++row) {
    double squares = 0, products = 0;
    for (int64_t c = 0; c < channels; ++c) {
      double value = x->row(row)[c];
      squares += value * value;
      products +=
          std::abs(value) * errors.at(op.getInput(), row * channels + c);
    }
    double mean =
        toRange(squares) / channels + op.getEpsilon().convertToDouble();
    double r = 1 / std::sqrt(mean);
    double rounding = gamma(channels) / 2 + 8 * precision().roundoff;
    bool isKnown =
        precision().leastError < mean / 2 &&
        !isUnknown(errorOfSum(squares, gamma(channels) * squares, squares));
    if (mean < kInfinity)
      rounding += precision().leastError / mean;
    for (int64_t c = 0; c < channels; ++c) {
      double e = errors.at(op.getInput(), row * channels + c) +
                 std::abs(x->row(row)[c]) * r * r * products / channels;
      bound.push_back(isKnown ? std::abs(result.row(row)[c]) * rounding +
                                    std::abs(w->data[c]) * r * e
                              : kInfinity);
    }
  }
  return bound;
}

// The valid tokens of a sequence of `length` places.
static llvm::Expected<int64_t> expectValid(Operation *op, double valid,
                                           int64_t length) {
  if (valid >= 1 && valid <= double(length))
    return int64_t(valid);
  return fail(op, "expected a length from 1 to " + Twine(length) + ", found " +
                      Twine(int64_t(valid)));
}

// last_token(x, lengths)[b, c] = x[b, lengths[b] - 1, c]
static llvm::Expected<Value> evaluate(LastTokenOp op,
                                      const Environment &values) {
  auto x = values.tensor(op.getInput()),
       lengths = values.tensor(op.getLengths());
  int64_t batch = x->shape[0], length = x->shape[1];
  if (llvm::Error error = expectSize(op, "lengths", batch, lengths->shape[0]))
    return error;
  Tensor result = Tensor::zeros({batch, x->channels()});
  for (int64_t b = 0; b < batch; ++b) {
    auto valid = expectValid(op, lengths->data[b], length);
    if (!valid)
      return valid.takeError();
    llvm::copy(x->row(b * length + *valid - 1), result.row(b).begin());
  }
  return result;
}

static Bounds boundOf(LastTokenOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  auto x = values.tensor(op.getInput()),
       lengths = values.tensor(op.getLengths());
  int64_t channels = x->channels();
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    int64_t b = int64_t(i) / channels;
    int64_t row = b * x->shape[1] + int64_t(lengths->data[b]) - 1;
    bound[i] = errors.at(op.getInput(), row * channels + int64_t(i) % channels);
  }
  return bound;
}

// The sum, the mean or the maximum of x[b, s, c] over s < lengths[b].
static llvm::Expected<ApproxTensors> compute(PoolTokensOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()], n = operands[op.getLengths()];
  int64_t batch = x.shape[0], length = x.shape[1], channels = x.shape[2];
  if (llvm::Error error = expectSize(op, "lengths", batch, n.shape[0]))
    return error;
  ApproxTensor y = ApproxTensor::ofShape({batch, channels});
  for (int64_t b = 0; b < batch; ++b) {
    auto valid = expectValid(op, n.data[b].value, length);
    if (!valid)
      return valid.takeError();
    for (int64_t c = 0; c < channels; ++c) {
      SmallVector<Approx> seen;
      for (int64_t s = 0; s < *valid; ++s)
        seen.push_back(x.at({b, s, c}));
      Approx &result = y.at({b, c});
      if (op.getKind() == ReductionKind::Max) {
        result = maximumOf(seen);
        continue;
      }
      Sum sum;
      for (Approx element : seen)
        sum.add(element);
      result = sum.result();
      if (op.getKind() == ReductionKind::Mean)
        result = result / Approx::constant(double(*valid));
    }
  }
  return ApproxTensors{y};
}

void registerLayers(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, EmbeddingOp, RMSNormOp, LastTokenOp>(context);
    attach<Exact, EmbeddingOp>(context);
    attach<Bounded, RMSNormOp, LastTokenOp>(context);
    attachComputed<PoolTokensOp>(context);
  });
}

} // namespace heddle::reference
