// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layers, activations, and the feed-forward layers that are made of
// them.

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"

#include "llvm/Support/MathExtras.h"
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
          for (int64_t row = 0; row < result.rows(); ++row)
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
  Tensor sizes = x, terms = x;
  for (auto [i, size] : llvm::enumerate(sizes.data)) {
    size = std::isfinite(size) ? std::abs(size) : 0;
    terms.data[i] = (errors.empty() ? 0 : errors[i]) + rounding * size;
  }
  auto bias = biasValue ? biasValue->tensor() : nullptr;
  Bounds bound(result.data.size());
  llvm::parallelFor(0, outputs, [&](size_t n) {
    std::vector<double> w(inputs);
    weight.readRow(n, w);
    // Infinite weights have no part in the error, unless the sign of what they
    // are multiplied with is not known.
    std::vector<size_t> infinite;
    for (auto [k, element] : llvm::enumerate(w)) {
      if (!std::isfinite(element))
        infinite.push_back(k);
      element = std::isfinite(element) ? std::abs(element) : 0;
    }
    double added = bias ? std::abs(bias->data[n]) : 0;
    for (int64_t row = 0; row < result.rows(); ++row) {
      size_t place = row * outputs + n;
      double error = dot(terms.row(row), w) + rounding * added;
      // Only a large error can be that of magnitudes that overflow.
      double magnitudes = error < rounding * precision().overflow
                              ? 0
                              : dot(sizes.row(row), w) + added;
      bool isOpen = llvm::any_of(infinite, [&](size_t k) {
        size_t i = row * inputs + k;
        return !errors.empty() && errors[i] >= std::abs(x.data[i]);
      });
      bound[place] = isOpen ? kInfinity
                            : errorOfSum(result.data[place], error, magnitudes);
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

// sqrt(2 / pi) * (x + 0.044715 x^3)
static double geluArgument(double x) {
  return std::sqrt(2 * llvm::numbers::inv_pi) * (x + 0.044715 * x * x * x);
}

static double activate(ActivationKind kind, double x) {
  switch (kind) {
  case ActivationKind::Silu:
    return x / (1 + std::exp(-x));
  case ActivationKind::Relu:
    // NaN stays NaN, and -0 does not.
    return x > 0 || std::isnan(x) ? x : 0;
  case ActivationKind::Gelu:
    return x / 2 * (1 + std::erf(x / std::sqrt(2)));
  case ActivationKind::GeluTanh:
    return x / 2 * (1 + std::tanh(geluArgument(x)));
  case ActivationKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case ActivationKind::Tanh:
    return std::tanh(x);
  case ActivationKind::QuickGelu:
    return x / (1 + std::exp(-1.702 * x));
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
  Type type = getElementTypeOrSelf(op.getResult());
  for (double &element : result.data)
    element = storeAs(type, activate(op.getKind(), element), Rounding::ToEither)
                  .value;
  return result;
}

// An upper limit of the activation's slope, by which errors of x grow.
static double slopeOf(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::Silu:
  case ActivationKind::QuickGelu:
    return 1.1;
  case ActivationKind::Gelu:
  case ActivationKind::GeluTanh:
    return 1.13;
  case ActivationKind::Sigmoid:
    return 0.25;
  case ActivationKind::Relu:
  case ActivationKind::Tanh:
    return 1;
  }
  llvm_unreachable("covered switch");
}

// What roundings make of y = x / 2 * (1 + f), where f is off by `error`.
static double halvedRoundings(double x, double f, double y, double error) {
  double u = precision().roundoff;
  return std::abs(x / 2) * (error + u * std::abs(1 + f)) + u * std::abs(y);
}

// How far y = activation(x) is off where x is exact.
static double activationRoundings(ActivationKind kind, double x, double y) {
  double tanhUnits = findMathError("math.tanh")->units;
  double u = precision().roundoff;
  switch (kind) {
  case ActivationKind::Relu:
    return 0;
  // The exponential's argument is off by 2u |x|, and counts for as much as its
  // share 1 / (1 + exp(x)) in the denominator. Then come 4 operations.
  case ActivationKind::Silu:
  case ActivationKind::Sigmoid: {
    double share = 1 / (1 + std::exp(x));
    double least = kind == ActivationKind::Silu ? std::abs(x) : 1;
    return std::abs(y) * (4 * u + share * (4 * u + 2 * u * std::abs(x))) +
           least * precision().smallestExponential;
  }
  // The same, where x times a rounded constant is the argument.
  case ActivationKind::QuickGelu: {
    double t = 1.702 * x, share = 1 / (1 + std::exp(t));
    return std::abs(y) * (4 * u + share * (4 * u + 4 * u * std::abs(t))) +
           std::abs(x) * precision().smallestExponential;
  }
  // The argument t is a product with a rounded constant, off by 2u |t|; the
  // slope of erf(t) is 2 / sqrt(pi) exp(-t^2).
  case ActivationKind::Gelu: {
    double t = x / std::sqrt(2), f = std::erf(t);
    double slope = 2 * llvm::numbers::inv_sqrtpi * std::exp(-t * t);
    double units = findMathError("math.erf")->units;
    return halvedRoundings(x, f, y,
                           units * u * std::abs(f) + precision().leastError +
                               slope * 2 * u * std::abs(t));
  }
  // The argument t is a product of a rounded constant and a sum of terms of
  // one sign, of which one has three products and another such constant: off
  // by 7u |t|. The slope of tanh(t) is 1 - tanh(t)^2.
  case ActivationKind::GeluTanh: {
    double t = geluArgument(x), f = std::tanh(t);
    double slope = 1 - f * f;
    return halvedRoundings(x, f, y,
                           tanhUnits * u * std::abs(f) +
                               precision().leastError +
                               slope * 7 * u * std::abs(t));
  }
  case ActivationKind::Tanh:
    return tanhUnits * u * std::abs(y) + precision().leastError;
  }
  llvm_unreachable("covered switch");
}

static Bounds activationBounds(ActivationKind kind, const Tensor &x,
                               ArrayRef<double> errors, const Tensor &result) {
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i)
    bound[i] = slopeOf(kind) * (errors.empty() ? 0 : errors[i]) +
               activationRoundings(kind, x.data[i], result.data[i]);
  return bound;
}

static Bounds boundOf(ActivationOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  const Tensor &x = *values.tensor(op.getInput());
  Type type = getElementTypeOrSelf(op.getResult());
  Bounds bounds =
      activationBounds(op.getKind(), x, errors.of(op.getInput()), result);
  for (auto [element, bound] : llvm::zip_equal(x.data, bounds))
    bound = storeAs(type, Approx(activate(op.getKind(), element), bound),
                    Rounding::ToEither)
                .error;
  return bounds;
}

Tensor linearStep(const Tensor &x, const Value &weight, const Value *bias,
                  Step step) {
  Tensor result = linear(x, weight, bias);
  step(result, [&] { return linearBounds(x, {}, weight, bias, result); });
  return result;
}

static Tensor activationStep(ActivationKind kind, const Tensor &x, Step step) {
  Tensor result = x;
  activate(kind, result);
  step(result, [&] { return activationBounds(kind, x, {}, result); });
  return result;
}

// linear(activation(linear(x, up)), down)
static llvm::Expected<Results> compute(FeedForwardOp op,
                                       const Environment &values, Step step) {
  Tensor up = linearStep(*values.tensor(op.getInput()), values[op.getUp()],
                         optional(op.getUpBias(), values), step);
  Tensor hidden = activationStep(op.getKind(), up, step);
  return Results{linearStep(hidden, values[op.getDown()],
                            optional(op.getDownBias(), values), step)};
}

// linear(activation(linear(x, gate)) * linear(x, up), down)
Tensor GatedFeedForward::compute(const Tensor &x, Step step) const {
  Tensor ofGate = linearStep(x, gate, gateBias, step);
  Tensor ofUp = linearStep(x, up, upBias, step);
  Tensor hidden = activationStep(kind, ofGate, step);
  for (size_t i = 0; i < hidden.data.size(); ++i)
    hidden.data[i] *= ofUp.data[i];
  step(hidden, [&] {
    Bounds bounds;
    for (double product : hidden.data)
      bounds.push_back(precision().roundoff * std::abs(product));
    return bounds;
  });
  return linearStep(hidden, down, downBias, step);
}

static llvm::Expected<Results> compute(GatedFeedForwardOp op,
                                       const Environment &values, Step step) {
  GatedFeedForward layer{op.getKind(),
                         values[op.getGate()],
                         values[op.getUp()],
                         values[op.getDown()],
                         optional(op.getGateBias(), values),
                         optional(op.getUpBias(), values),
                         optional(op.getDownBias(), values)};
  return Results{layer.compute(*values.tensor(op.getInput()), step)};
}

void registerLinear(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, LinearOp, ActivationOp>(context);
    attach<Bounded, LinearOp, ActivationOp>(context);
    attachStepwise<FeedForwardOp, GatedFeedForwardOp>(context);
  });
}

} // namespace heddle::reference
