// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/RotaryAngles.h"
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
Tensor rmsNorm(const Tensor &x, const Tensor &weight, double epsilon) {
  Tensor result = Tensor::zeros(x.shape);
  for (int64_t row = 0; row < x.rows(); ++row) {
    double squares = 0;
    for (double value : x.row(row))
      squares += value * value;
    double root = std::sqrt(squares / x.channels() + epsilon);
    for (int64_t c = 0; c < x.channels(); ++c)
      result.row(row)[c] = x.row(row)[c] / root * weight.data[c];
  }
  return result;
}

static llvm::Expected<Value> evaluate(RMSNormOp op, const Environment &values) {
  return rmsNorm(*values.tensor(op.getInput()), *values.tensor(op.getWeight()),
                 op.getEpsilon().convertToDouble());
}

// y = x r w with r = 1 / sqrt(mean(x^2) + epsilon). The sum of squares has no
// cancellation, and its root halves relative errors; 8 operations come after
// it. Errors e of x add |w| r (e + |x| r^2 mean(|x| e)).
Bounds rmsNormBounds(const Tensor &x, ArrayRef<double> errors,
                     const Tensor &weight, double epsilon,
                     const Tensor &result) {
  int64_t channels = x.channels();
  auto errorAt = [&](int64_t row, int64_t c) {
    return errors.empty() ? 0 : errors[row * channels + c];
  };
  Bounds bound;
  for (int64_t row = 0; row < x.rows(); ++row) {
    double squares = 0, products = 0;
    for (int64_t c = 0; c < channels; ++c) {
      double value = x.row(row)[c];
      squares += value * value;
      products += std::abs(value) * errorAt(row, c);
    }
    double r = 1 / std::sqrt(squares / channels + epsilon);
    for (int64_t c = 0; c < channels; ++c) {
      double e = errorAt(row, c) +
                 std::abs(x.row(row)[c]) * r * r * products / channels;
      bound.push_back(std::abs(result.row(row)[c]) *
                          (gamma(channels) / 2 + 8 * u) +
                      std::abs(weight.data[c]) * r * e);
    }
  }
  return bound;
}

static Bounds boundOf(RMSNormOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  return rmsNormBounds(*values.tensor(op.getInput()), errors.of(op.getInput()),
                       *values.tensor(op.getWeight()),
                       op.getEpsilon().convertToDouble(), result);
}

// y[i] = x[i] cos - x[i + d/2] sin, y[i + d/2] = x[i + d/2] cos + x[i] sin,
// with the angle (starts[b] + s) * frequency(i). The operand `table` holds the
// same angles and is not read.
static llvm::Expected<Value> evaluate(RotaryOp op, const Environment &values) {
  auto x = values.tensor(op.getInput()), starts = values.tensor(op.getStarts());
  int64_t batch = x->shape[0], length = x->shape[1], heads = op.getHeads();
  int64_t dimension = op.getHeadDim(), half = dimension / 2;
  double base = op.getBase().convertToDouble();
  if (llvm::Error error = expectSize(op, "starts", batch, starts->shape[0]))
    return error;
  Tensor y = Tensor::zeros(x->shape);
  for (int64_t i = 0; i < half; ++i) {
    double frequency = rotaryFrequency(i, dimension, base, op.getScalingAttr());
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t s = 0; s < length; ++s) {
        double angle = (starts->data[b] + s) * frequency;
        double cosine = std::cos(angle), sine = std::sin(angle);
        for (int64_t h = 0; h < heads; ++h) {
          auto in = x->row(b * length + s).slice(h * dimension, dimension);
          auto out = y.row(b * length + s).slice(h * dimension, dimension);
          out[i] = in[i] * cosine - in[i + half] * sine;
          out[i + half] = in[i + half] * cosine + in[i] * sine;
        }
      }
  }
  return y;
}

// y = x cos - x' sin. Cosine and sine are sums of two products of table
// entries, each off by u / 2: together by 5u. Then come two operations.
static Bounds boundOf(RotaryOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  auto x = values.tensor(op.getInput());
  int64_t dimension = op.getHeadDim(), half = dimension / 2;
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    size_t partner = int64_t(i) % dimension < half ? i + half : i - half;
    bound[i] = errors.at(op.getInput(), i) + errors.at(op.getInput(), partner) +
               7 * u * (std::abs(x->data[i]) + std::abs(x->data[partner]));
  }
  return bound;
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
    int64_t valid = lengths->data[b];
    if (valid < 1 || valid > length)
      return fail(op, "expected a length from 1 to " + Twine(length) +
                          ", found " + Twine(valid));
    llvm::copy(x->row(b * length + valid - 1), result.row(b).begin());
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

void registerLayers(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, EmbeddingOp, RMSNormOp, RotaryOp, LastTokenOp>(context);
    attach<Exact, EmbeddingOp>(context);
    attach<Bounded, RMSNormOp, RotaryOp, LastTokenOp>(context);
  });
}

} // namespace heddle::reference
