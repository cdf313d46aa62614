// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layers, activations, and the feed-forward layer that is made of them.

#include "compiler/Reference/Evaluate.h"

#include "llvm/Support/Parallel.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

double dot(ArrayRef<double> x, ArrayRef<double> y) {
  // Several sums, because additions wait for each other in one, and in
  // registers, which takes an unrolled loop; nearly all the time of a model
  // goes here.
  constexpr size_t lanes = 8;
  double sums[lanes] = {};
  size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes)
#pragma GCC unroll 8
    for (size_t lane = 0; lane < lanes; ++lane)
      sums[lane] += x[i + lane] * y[i + lane];
  double sum = 0;
  for (; i < x.size(); ++i)
    sum += x[i] * y[i];
  for (double lane : sums)
    sum += lane;
  return sum;
}

// linear(x, W, b)[.., n] = sum_k x[.., k] * W[n, k] + b[n]
Tensor linear(const Tensor &x, const Value &weight, const Value *bias) {
  int64_t outputs = weight.shape()[0], inputs = weight.shape()[1];
  std::shared_ptr<const Tensor> b = bias ? bias->tensor() : nullptr;
  SmallVector<int64_t> shape(x.shape);
  shape.back() = outputs;
  Tensor result = Tensor::zeros(shape);
  // Each task reads its rows of the weight once, so that at no time more than
  // one row a thread is held as doubles.
  constexpr int64_t rowsPerTask = 16;
  llvm::parallelFor(
      0, llvm::divideCeil(outputs, rowsPerTask), [&](size_t task) {
        std::vector<double> w(inputs);
        int64_t begin = task * rowsPerTask;
        for (int64_t n = begin; n < std::min(begin + rowsPerTask, outputs);
             ++n) {
          weight.readRow(n, w);
          for (int64_t row = 0; row < x.rows(); ++row)
            result.row(row)[n] = dot(x.row(row), w) + (b ? b->data[n] : 0);
        }
      });
  return result;
}

static const Value *optional(mlir::Value name, const Environment &values) {
  return name ? &values[name] : nullptr;
}

static llvm::Expected<Value> evaluate(LinearOp op, const Environment &values) {
  return linear(*values.tensor(op.getInput()), values[op.getWeight()],
                optional(op.getBias(), values));
}

static double activate(ActivationKind kind, double x) {
  switch (kind) {
  case ActivationKind::Silu:
    return x / (1 + std::exp(-x));
  case ActivationKind::Relu:
    // In this order NaN stays NaN.
    return x < 0 ? 0 : x;
  }
  llvm_unreachable("covered switch");
}

void activate(ActivationKind kind, Tensor &x) {
  for (double &element : x.data)
    element = activate(kind, element);
}

static llvm::Expected<Value> evaluate(ActivationOp op,
                                      const Environment &values) {
  Tensor result = *values.tensor(op.getInput());
  activate(op.getKind(), result);
  return result;
}

// linear(activation(linear(x, gate)) * linear(x, up), down)
static llvm::Expected<Value> evaluate(GatedFeedForwardOp op,
                                      const Environment &values) {
  auto x = values.tensor(op.getInput());
  Tensor hidden =
      linear(*x, values[op.getGate()], optional(op.getGateBias(), values));
  Tensor up = linear(*x, values[op.getUp()], optional(op.getUpBias(), values));
  activate(op.getKind(), hidden);
  for (size_t i = 0; i < hidden.data.size(); ++i)
    hidden.data[i] *= up.data[i];
  return linear(hidden, values[op.getDown()],
                optional(op.getDownBias(), values));
}

void registerLinear(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, LinearOp, ActivationOp, GatedFeedForwardOp>(context);
  });
}

} // namespace heddle::reference
