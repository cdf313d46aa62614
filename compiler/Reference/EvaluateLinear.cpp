// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layers, activations, and the feed-forward layer that is made of them.

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"

#include "llvm/Support/Parallel.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

// The sum of x[i] * y[i].
static double dot(ArrayRef<double> x, ArrayRef<double> y) {
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

// sum_k |W[n, k]| (e[k] + gamma |x[k]|). A bias is one more term of the sum:
// code may add it first, and round each later sum at its size.
Bounds linearBounds(const Tensor &x, ArrayRef<double> errors,
                    const Value &weight, const Value *biasValue,
                    const Tensor &result) {
  int64_t inputs = x.channels(), outputs = result.channels();
  double rounding = gamma(inputs + 1);
  Tensor terms = x;
  for (size_t i = 0; i < terms.data.size(); ++i)
    terms.data[i] =
        (errors.empty() ? 0 : errors[i]) + rounding * std::abs(x.data[i]);
  auto bias = biasValue ? biasValue->tensor() : nullptr;
  Bounds bound(result.data.size());
  llvm::parallelFor(0, outputs, [&](size_t n) {
    std::vector<double> w(inputs);
    weight.readRow(n, w);
    for (double &element : w)
      element = std::abs(element);
    for (int64_t row = 0; row < x.rows(); ++row) {
      double sum = dot(terms.row(row), w);
      if (bias)
        sum += rounding * std::abs(bias->data[n]);
      bound[row * outputs + n] = sum;
    }
  });
  return bound;
}

static Bounds boundOf(LinearOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  return linearBounds(*values.tensor(op.getInput()), errors.of(op.getInput()),
                      values[op.getWeight()], optional(op.getBias(), values),
                      result);
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

static void activate(ActivationKind kind, Tensor &x) {
  for (double &element : x.data)
    element = activate(kind, element);
}

static llvm::Expected<Value> evaluate(ActivationOp op,
                                      const Environment &values) {
  Tensor result = *values.tensor(op.getInput());
  activate(op.getKind(), result);
  return result;
}

// relu keeps errors. silu(x) = x / (1 + exp(-x)) has a slope below 1.1; the
// exponential's argument is off by 2u |x|, and counts for as much as its share
// 1 / (1 + exp(x)) in the denominator. Then come 4 operations.
static Bounds activationBounds(ActivationKind kind, const Tensor &x,
                               ArrayRef<double> errors, const Tensor &result) {
  bool isSilu = kind == ActivationKind::Silu;
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    double e = errors.empty() ? 0 : errors[i], magnitude = std::abs(x.data[i]);
    double share = 1 / (1 + std::exp(x.data[i]));
    bound[i] = !isSilu
                   ? e
                   : 1.1 * e +
                         std::abs(result.data[i]) *
                             (4 * u + share * (exp2Error + 2 * u * magnitude)) +
                         magnitude * exp2Smallest;
  }
  return bound;
}

static Bounds boundOf(ActivationOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  return activationBounds(op.getKind(), *values.tensor(op.getInput()),
                          errors.of(op.getInput()), result);
}

/// Told of the result of each step of a layer, and of what it may be off by.
using Step = llvm::function_ref<void(Tensor &result,
                                     llvm::function_ref<Bounds()> bounds)>;

// linear(activation(linear(x, gate)) * linear(x, up), down)
static Tensor compute(GatedFeedForwardOp op, const Environment &values,
                      Step step) {
  auto runLinear = [&](const Tensor &x, mlir::Value weight, mlir::Value bias) {
    const Value &w = values[weight], *b = optional(bias, values);
    Tensor result = linear(x, w, b);
    step(result, [&] { return linearBounds(x, {}, w, b, result); });
    return result;
  };
  auto x = values.tensor(op.getInput());
  Tensor gate = runLinear(*x, op.getGate(), op.getGateBias());
  Tensor up = runLinear(*x, op.getUp(), op.getUpBias());
  Tensor hidden = gate;
  activate(op.getKind(), hidden);
  step(hidden,
       [&] { return activationBounds(op.getKind(), gate, {}, hidden); });
  for (size_t i = 0; i < hidden.data.size(); ++i)
    hidden.data[i] *= up.data[i];
  step(hidden, [&] {
    Bounds bounds;
    for (double product : hidden.data)
      bounds.push_back(u * std::abs(product));
    return bounds;
  });
  return runLinear(hidden, op.getDown(), op.getDownBias());
}

static llvm::Expected<Value> evaluate(GatedFeedForwardOp op,
                                      const Environment &values) {
  return compute(op, values, [](Tensor &, auto) {});
}

namespace {
/// Bounds of five steps one after the other would be far from what roundings
/// make of them, so that these are moved instead.
struct MovedFeedForward
    : ErrorBoundOpInterface::ExternalModel<MovedFeedForward,
                                           GatedFeedForwardOp> {
  void perturb(Operation *op, Perturbation &perturbation,
               const Environment &values,
               MutableArrayRef<Value> results) const {
    results[0] = compute(cast<GatedFeedForwardOp>(op), values,
                         [&](Tensor &result, auto bounds) {
                           perturbation.move(result, bounds());
                         });
  }
};
} // namespace

void registerLinear(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, LinearOp, ActivationOp, GatedFeedForwardOp>(context);
    attach<Bounded, LinearOp, ActivationOp>(context);
    GatedFeedForwardOp::attachInterface<MovedFeedForward>(*context);
  });
}

} // namespace heddle::reference
