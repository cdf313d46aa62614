// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/RotaryAngles.h"
#include "compiler/Reference/Roundings.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace heddle::reference {

//===-- Tables ------------------------------------------------------------===//

static llvm::Expected<Value> evaluate(RotaryTableOp op, const Environment &) {
  return tableOf(op);
}

static llvm::Expected<Value> evaluate(SinusoidalPositionsOp op,
                                      const Environment &) {
  return tableOf(op);
}

// Code has each element rounded once.
static Bounds boundOf(SinusoidalPositionsOp, const ErrorBounds &,
                      const Environment &, const Tensor &result) {
  Bounds bound;
  for (double element : result.data)
    bound.push_back(u * std::abs(element));
  return bound;
}

//===-- heddle.rotary -----------------------------------------------------===//

namespace {
/// The channels of pair `i` in a head.
struct Pair {
  int64_t first, second;
};
} // namespace

static Pair channelsOf(RotaryOp op, int64_t i) {
  if (op.getInterleaved())
    return {2 * i, 2 * i + 1};
  return {i, i + op.getDimension() / 2};
}

// y[i] = x[i] cos - x[j] sin, y[j] = x[j] cos + x[i] sin for each pair of
// channels (i, j), with the angle (starts[b] + s) * frequency.
static llvm::Expected<Value> evaluate(RotaryOp op, const Environment &values) {
  auto x = values.tensor(op.getInput()), starts = values.tensor(op.getStarts());
  int64_t batch = x->shape[0], length = x->shape[1], heads = op.getHeads();
  int64_t headDim = op.getHeadDim(), dimension = op.getDimension();
  double base = op.getBase().convertToDouble();
  double attention = rotaryAttention(op.getScalingAttr());
  if (llvm::Error error = expectSize(op, "starts", batch, starts->shape[0]))
    return error;
  Tensor y = *x;
  for (int64_t pair = 0; pair < dimension / 2; ++pair) {
    double frequency =
        rotaryFrequency(pair, dimension, base, op.getScalingAttr());
    auto [i, j] = channelsOf(op, pair);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t s = 0; s < length; ++s) {
        double angle = (starts->data[b] + s) * frequency;
        double cosine = attention * std::cos(angle);
        double sine = attention * std::sin(angle);
        for (int64_t h = 0; h < heads; ++h) {
          auto in = x->row(b * length + s).slice(h * headDim, headDim);
          auto out = y.row(b * length + s).slice(h * headDim, headDim);
          out[i] = in[i] * cosine - in[j] * sine;
          out[j] = in[j] * cosine + in[i] * sine;
        }
      }
  }
  return y;
}

// y = x cos - x' sin. Cosine and sine are sums of two products of table
// entries, each off by u / 2: together by 5u. Then come two operations. The
// attention factor is in all of them. Other channels are exact.
static Bounds boundOf(RotaryOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  auto x = values.tensor(op.getInput());
  double attention = rotaryAttention(op.getScalingAttr());
  mlir::Value input = op.getInput();
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i)
    bound[i] = errors.at(input, i);
  for (size_t head = 0; head < bound.size(); head += op.getHeadDim())
    for (int64_t pair = 0; pair < op.getDimension() / 2; ++pair) {
      auto [first, second] = channelsOf(op, pair);
      size_t i = head + first, j = head + second;
      double both = errors.at(input, i) + errors.at(input, j) +
                    7 * u * (std::abs(x->data[i]) + std::abs(x->data[j]));
      // Of a sum of zeros the sign hangs on those of cosine and sine.
      bound[i] = bound[j] = std::max(attention * both, kEitherSign);
    }
  return bound;
}

//===-- heddle.add_positions ----------------------------------------------===//

// The row of the table for each token; past the last one, that.
static int64_t rowOf(AddPositionsOp op, const Environment &values, int64_t b,
                     int64_t s) {
  int64_t start =
      op.getStarts() ? values.tensor(op.getStarts())->integer(b) : 0;
  return std::clamp<int64_t>(start + s, 0,
                             op.getTable().getType().getDimSize(0) - 1);
}

// add_positions(x, table, starts)[b, s, c] = x[b, s, c] + table[starts[b] + s,
// c]
static llvm::Expected<Value> evaluate(AddPositionsOp op,
                                      const Environment &values) {
  auto x = values.tensor(op.getInput());
  int64_t batch = x->shape[0], length = x->shape[1];
  if (op.getStarts())
    if (llvm::Error error = expectSize(op, "starts", batch,
                                       values.tensor(op.getStarts())->shape[0]))
      return error;
  Tensor y = *x;
  std::vector<double> position(x->channels());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t s = 0; s < length; ++s) {
      values[op.getTable()].readRow(rowOf(op, values, b, s), position);
      for (auto [element, other] :
           llvm::zip_equal(y.row(b * length + s), position))
        element += other;
    }
  return y;
}

// One sum, of what may be off.
static Bounds boundOf(AddPositionsOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  int64_t length = result.shape[1], channels = result.shape[2];
  Bounds bound;
  for (int64_t row = 0; row < result.rows(); ++row) {
    int64_t from = rowOf(op, values, row / length, row % length);
    for (int64_t c = 0; c < channels; ++c)
      bound.push_back(errors.at(op.getInput(), row * channels + c) +
                      errors.at(op.getTable(), from * channels + c) +
                      u * std::abs(result.data[row * channels + c]));
  }
  return bound;
}

void registerPositions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, RotaryTableOp, SinusoidalPositionsOp, RotaryOp,
           AddPositionsOp>(context);
    attach<Exact, RotaryTableOp>(context);
    attach<Bounded, SinusoidalPositionsOp, RotaryOp, AddPositionsOp>(context);
  });
}

} // namespace heddle::reference
