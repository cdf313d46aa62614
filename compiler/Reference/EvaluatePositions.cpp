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

// Code has each element rounded once. Its angle is a double, too, of which
// frequencies are at most 1, or 1 / base: see heddle.rotary.
static Bounds boundOf(SinusoidalPositionsOp op, const ErrorBounds &,
                      const Environment &, const Tensor &result) {
  double u = precision().roundoff;
  double highest = std::max(1.0, 1 / op.getBase().convertToDouble());
  double ofAngle = precision().isDouble() ? 4 * u * highest : 0;
  Bounds bound;
  for (auto [i, element] : llvm::enumerate(result.data))
    bound.push_back(u * std::abs(element) +
                    ofAngle * double(i / result.channels()));
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

namespace {
/// Where the angles of a rotation are from.
class Angles {
public:
  Angles(RotaryOp op, const Environment &values) : op(op) {
    auto find = [&](mlir::Value operand) {
      return operand ? values.tensor(operand) : nullptr;
    };
    starts = find(op.getStarts());
    ids = find(op.getPositionIds());
    cosines = find(op.getCosines());
    sines = find(op.getSines());
    length = values.tensor(op.getInput())->shape[1];
    attention = rotaryAttention(op.getScalingAttr());
  }

  /// Where given angles have that of a pair of token s of sequence b.
  int64_t place(int64_t b, int64_t s, int64_t pair) const {
    bool isShared = cosines->shape.size() == 2 || cosines->shape[0] == 1;
    return ((isShared ? 0 : b) * length + s) * cosines->channels() + pair;
  }

  /// The cosine and the sine of a pair of a token.
  std::pair<double, double> of(int64_t b, int64_t s, int64_t pair) {
    if (cosines)
      return {cosines->data[place(b, s, pair)], sines->data[place(b, s, pair)]};
    double angle = angleOf(b, s, pair);
    return {attention * std::cos(angle), attention * std::sin(angle)};
  }

  /// The angle itself, where it is that of a position.
  double angleOf(int64_t b, int64_t s, int64_t pair) {
    double position = starts ? starts->data[b] + s
                      : ids  ? ids->data[b * length + s]
                             : double(s);
    return position * rotaryFrequency(pair, op.getDimension(),
                                      op.getBase()->convertToDouble(),
                                      op.getScalingAttr(), position);
  }

private:
  RotaryOp op;
  std::shared_ptr<const Tensor> starts, ids, cosines, sines;
  int64_t length;
  double attention;
};
} // namespace

static llvm::Error checkShapes(RotaryOp op, const Environment &values) {
  auto x = values.tensor(op.getInput());
  auto check = [&](mlir::Value operand, StringRef what,
                   unsigned dimensions) -> llvm::Error {
    auto tensor = values.tensor(operand);
    int64_t first = dimensions - (tensor->shape.size() - 1);
    for (unsigned dim = 0; dim + 1 < tensor->shape.size(); ++dim)
      if (tensor->shape[dim] != 1)
        if (llvm::Error error =
                expectSize(op, what, x->shape[first + dim], tensor->shape[dim]))
          return error;
    return llvm::Error::success();
  };
  if (op.getCosines())
    return check(op.getCosines(), "cosines", 2);
  mlir::Value positions = op.getStarts() ? op.getStarts() : op.getPositionIds();
  if (!positions)
    return llvm::Error::success();
  auto tensor = values.tensor(positions);
  for (auto [expected, found] : llvm::zip(x->shape, tensor->shape))
    if (llvm::Error error = expectSize(
            op, op.getStarts() ? "starts" : "position ids", expected, found))
      return error;
  return llvm::Error::success();
}

// y[i] = x[i] cos - x[j] sin, y[j] = x[j] cos + x[i] sin for each pair of
// channels (i, j).
static llvm::Expected<Value> evaluate(RotaryOp op, const Environment &values) {
  if (llvm::Error error = checkShapes(op, values))
    return error;
  auto x = values.tensor(op.getInput());
  int64_t batch = x->shape[0], length = x->shape[1], heads = op.getHeads();
  int64_t headDim = op.getHeadDim();
  Angles angles(op, values);
  Tensor y = *x;
  for (int64_t pair = 0; pair < op.getDimension() / 2; ++pair) {
    auto [i, j] = channelsOf(op, pair);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t s = 0; s < length; ++s) {
        auto [cosine, sine] = angles.of(b, s, pair);
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

// y = x cos - x' sin: two products and a sum of what is off, or given. Of a
// position, cosine and sine are sums of two products of table entries, each off
// by u / 2, together by 5u, and have the attention factor. Angles are doubles:
// beside those of f64 it counts that they, too, are off, by two roundings here
// and in code. Other channels are exact.
static Bounds boundOf(RotaryOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  auto x = values.tensor(op.getInput());
  double attention = rotaryAttention(op.getScalingAttr());
  double u = precision().roundoff;
  int64_t length = x->shape[1], width = x->channels();
  mlir::Value input = op.getInput();
  Angles angles(op, values);
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i)
    bound[i] = errors.at(input, i);
  for (size_t head = 0; head < bound.size(); head += op.getHeadDim()) {
    int64_t row = head / width, b = row / length, s = row % length;
    for (int64_t pair = 0; pair < op.getDimension() / 2; ++pair) {
      auto [first, second] = channelsOf(op, pair);
      size_t i = head + first, j = head + second;
      double largest = attention, error = 5 * u * attention;
      if (!op.getCosines() && precision().isDouble())
        error += 4 * u * attention * std::abs(angles.angleOf(b, s, pair));
      if (op.getCosines()) {
        auto [cosine, sine] = angles.of(b, s, pair);
        int64_t place = angles.place(b, s, pair);
        largest = std::max(std::abs(cosine), std::abs(sine));
        error = std::max(errors.at(op.getCosines(), place),
                         errors.at(op.getSines(), place));
      }
      double both =
          (largest + error) * (errors.at(input, i) + errors.at(input, j)) +
          (error + 2 * u * largest) *
              (std::abs(x->data[i]) + std::abs(x->data[j]));
      // Of a sum of zeros the sign hangs on those of cosine and sine.
      bound[i] = bound[j] = std::max(both, kEitherSign);
    }
  }
  return bound;
}

//===-- heddle.add_positions ----------------------------------------------===//

// The row of the table for each token; past the last one, that.
static int64_t rowOf(AddPositionsOp op, const Environment &values, int64_t b,
                     int64_t s) {
  int64_t position = s;
  if (op.getStarts())
    position += values.tensor(op.getStarts())->integer(b);
  if (op.getPositionIds()) {
    auto ids = values.tensor(op.getPositionIds());
    position = ids->integer(b * ids->shape[1] + s);
  }
  return std::clamp<int64_t>(position, 0,
                             op.getTable().getType().getDimSize(0) - 1);
}

// add_positions(x, table)[b, s, c] = x[b, s, c] + table[p, c]
static llvm::Expected<Value> evaluate(AddPositionsOp op,
                                      const Environment &values) {
  auto x = values.tensor(op.getInput());
  int64_t batch = x->shape[0], length = x->shape[1];
  if (op.getStarts())
    if (llvm::Error error = expectSize(op, "starts", batch,
                                       values.tensor(op.getStarts())->shape[0]))
      return error;
  if (op.getPositionIds()) {
    auto ids = values.tensor(op.getPositionIds());
    for (auto [expected, found] : llvm::zip(x->shape, ids->shape))
      if (llvm::Error error = expectSize(op, "position ids", expected, found))
        return error;
  }
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
                      precision().roundoff *
                          std::abs(result.data[row * channels + c]));
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
