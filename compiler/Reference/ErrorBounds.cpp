// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ErrorBounds.h"

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/EvaluateGeneric.h"
#include "compiler/Reference/LinearForm.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Parallel.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static constexpr double u = 0x1p-24;
/// What 2^x, computed as a polynomial, is off by (emitExp2: 2e-7), and the
/// least that it gives.
static constexpr double exp2Error = 4 * u;
static constexpr double exp2Smallest = 0x1p-125;

static double gamma(double n) { return u * std::min(n, 8 * std::sqrt(n)); }

static double errorAt(ArrayRef<double> errors, size_t element) {
  return errors.empty() ? 0 : errors[element];
}

ArrayRef<double> ErrorBounds::of(mlir::Value value) const {
  auto found = bounds.find(value);
  return found == bounds.end() ? ArrayRef<double>() : ArrayRef(found->second);
}

double ErrorBounds::at(mlir::Value value, size_t element) const {
  return errorAt(of(value), element);
}

void ErrorBounds::follow(Operation *op, ArrayRef<Value> operands,
                         ArrayRef<Value> results,
                         const Environment &environment) {
  if (auto generic = dyn_cast<GenericOp>(op))
    return follow(generic, operands, results, environment);
  // Masks, caches, and what is read from memory as it is.
  if (!llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
      isa<CacheReadOp, EmbeddingOp, WeightRefOp, RotaryTableOp,
          arith::ConstantOp>(op))
    return;
  const Tensor &result = *results[0].tensor();
  bounds[op->getResult(0)] =
      llvm::TypeSwitch<Operation *, Bounds>(op)
          .Case<RMSNormOp, RotaryOp, LastTokenOp, AttentionOp>(
              [&](auto op) { return follow(op, operands, result); })
          .Case([&](LinearOp op) {
            return linearBounds(*operands[0].tensor(), of(op.getInput()),
                                operands[1],
                                op.getBias() ? &operands[2] : nullptr, result);
          })
          .Case([&](ActivationOp op) {
            return activationBounds(op.getKind(), *operands[0].tensor(),
                                    of(op.getInput()), result);
          })
          .Default([&](Operation *op) {
            return followElementwise(op, operands, result);
          });
}

// y = x r w with r = 1 / sqrt(mean(x^2) + epsilon). The sum of squares has no
// cancellation, and its root halves relative errors; 8 operations come after
// it. Errors e of x add |w| r (e + |x| r^2 mean(|x| e)).
ErrorBounds::Bounds ErrorBounds::follow(RMSNormOp op, ArrayRef<Value> operands,
                                        const Tensor &result) const {
  auto x = operands[0].tensor(), w = operands[1].tensor();
  int64_t channels = x->channels();
  Bounds bound;
  for (int64_t row = 0; row < x->rows(); ++row) {
    double squares = 0, products = 0;
    for (int64_t c = 0; c < channels; ++c) {
      double value = x->row(row)[c];
      squares += value * value;
      products += std::abs(value) * at(op.getInput(), row * channels + c);
    }
    double r =
        1 / std::sqrt(squares / channels + op.getEpsilon().convertToDouble());
    for (int64_t c = 0; c < channels; ++c) {
      double e = at(op.getInput(), row * channels + c) +
                 std::abs(x->row(row)[c]) * r * r * products / channels;
      bound.push_back(std::abs(result.row(row)[c]) *
                          (gamma(channels) / 2 + 8 * u) +
                      std::abs(w->data[c]) * r * e);
    }
  }
  return bound;
}

// sum_k |W[n, k]| (e[k] + gamma |x[k]|). A bias is one more term of the sum:
// code may add it first, and round each later sum at its size.
std::vector<double> linearBounds(const Tensor &x, ArrayRef<double> errors,
                                 const Value &weight, const Value *biasValue,
                                 const Tensor &result) {
  int64_t inputs = x.channels(), outputs = result.channels();
  double rounding = gamma(inputs + 1);
  Tensor terms = x;
  for (size_t i = 0; i < terms.data.size(); ++i)
    terms.data[i] = errorAt(errors, i) + rounding * std::abs(x.data[i]);
  auto bias = biasValue ? biasValue->tensor() : nullptr;
  std::vector<double> bound(result.data.size());
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

// relu keeps errors. silu(x) = x / (1 + exp(-x)) has a slope below 1.1; the
// exponential's argument is off by 2u |x|, and counts for as much as its share
// 1 / (1 + exp(x)) in the denominator. Then come 4 operations.
std::vector<double> activationBounds(ActivationKind kind, const Tensor &x,
                                     ArrayRef<double> errors,
                                     const Tensor &result) {
  bool isSilu = kind == ActivationKind::Silu;
  std::vector<double> bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    double e = errorAt(errors, i), magnitude = std::abs(x.data[i]);
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

// y = x cos - x' sin. Cosine and sine are sums of two products of table
// entries, each off by u / 2: together by 5u. Then come two operations.
ErrorBounds::Bounds ErrorBounds::follow(RotaryOp op, ArrayRef<Value> operands,
                                        const Tensor &result) const {
  auto x = operands[0].tensor();
  int64_t dimension = op.getHeadDim(), half = dimension / 2;
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    size_t partner = int64_t(i) % dimension < half ? i + half : i - half;
    bound[i] = at(op.getInput(), i) + at(op.getInput(), partner) +
               7 * u * (std::abs(x->data[i]) + std::abs(x->data[partner]));
  }
  return bound;
}

ErrorBounds::Bounds ErrorBounds::follow(LastTokenOp op,
                                        ArrayRef<Value> operands,
                                        const Tensor &result) const {
  auto x = operands[0].tensor(), lengths = operands[1].tensor();
  int64_t channels = x->channels();
  Bounds bound(result.data.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    int64_t b = int64_t(i) / channels;
    int64_t row = b * x->shape[1] + int64_t(lengths->data[b]) - 1;
    bound[i] = at(op.getInput(), row * channels + int64_t(i) % channels);
  }
  return bound;
}

namespace {
/// A key that a query sees: weight = exp(score - the largest score).
struct Score {
  int64_t key;
  double score, error, weight = 0;
};
} // namespace

// How far the softmax p[k] = 1 / (1 + sum_j exp(s[j] - s[k])) can move, for
// errors of any size: to where all others have moved the other way, at most.
static double weightError(const Score &k, double p, ArrayRef<Score> scores) {
  double less = 0, more = 0;
  for (const Score &j : scores) {
    if (j.key == k.key)
      continue;
    less += std::exp(j.score - k.score + (j.error + k.error));
    more += std::exp(j.score - k.score - (j.error + k.error));
  }
  return std::max(p - 1 / (1 + less), 1 / (1 + more) - p);
}

// o[d] = sum_k p[k] v[k, d] with p = softmax(s), s[k] = scale q . k. An error
// of s[k] is a relative one of p[k], before p is divided by its sum:
//   r[k] = scale gamma(D + 3) sum_d |q[d] k[d]| + u |s[k] - max|
//          + the exponential's
// With what the divisor adds, the two sums over n keys, the product with the
// divisor's reciprocal, and for each 32 keys at most one rescaling of the sums,
// which multiplies each by an exponential:
//   sum_k p[k] |v[k, d]| (r[k] + sum_j p[j] r[j] + 2 gamma(n) + 2u
//                         + 2 (u + the exponential's) n / 32)
// Queries, keys and values come from memory, so they are exact. Where errors
// are too large for that, p[k] moves by what weightError says.
ErrorBounds::Bounds ErrorBounds::follow(AttentionOp op,
                                        ArrayRef<Value> operands,
                                        const Tensor &result) const {
  auto query = operands[0].tensor(), key = operands[1].tensor(),
       value = operands[2].tensor();
  const Mask *mask = op.getMask() ? &operands[3].mask() : nullptr;
  int64_t heads = op.getHeads(), kvHeads = op.getKvHeads();
  int64_t queries = query->shape[1], keys = key->shape[1];
  int64_t headDim = query->channels() / heads;
  int64_t valueDim = value->channels() / kvHeads;
  double scale = op.getScale().convertToDouble();
  Bounds bound(result.data.size());
  auto follow = [&](int64_t b, int64_t q, int64_t h,
                    MutableArrayRef<double> out) {
    int64_t g = h / (heads / kvHeads);
    auto x = query->row(b * queries + q).slice(h * headDim, headDim);
    std::vector<Score> scores;
    double maximum = -std::numeric_limits<double>::infinity();
    for (int64_t k = 0; k < keys; ++k) {
      if (mask && !mask->keeps({b, q, k, queries, keys}))
        continue;
      auto y = key->row(b * keys + k).slice(g * headDim, headDim);
      double sum = 0, magnitudes = 0;
      for (int64_t d = 0; d < headDim; ++d) {
        sum += x[d] * y[d];
        magnitudes += std::abs(x[d] * y[d]);
      }
      scores.push_back(
          {k, scale * sum, std::abs(scale) * gamma(headDim + 3) * magnitudes});
      maximum = std::max(maximum, scale * sum);
    }
    double sum = 0, mean = 0, n = scores.size();
    for (Score &s : scores) {
      s.error += u * (maximum - s.score) + exp2Error;
      s.weight = std::exp(s.score - maximum);
      sum += s.weight;
      mean += s.weight * s.error;
    }
    double common = mean / sum + 2 * gamma(n) + 2 * u +
                    2 * (u + exp2Error) * n / HEDDLE_CACHE_BLOCK;
    for (const Score &s : scores) {
      double relative = s.error + common;
      double error = relative < 0.1 ? s.weight / sum * relative
                                    : weightError(s, s.weight / sum, scores);
      double factor = error + exp2Smallest;
      auto v = value->row(b * keys + s.key).slice(g * valueDim, valueDim);
      for (int64_t d = 0; d < valueDim; ++d)
        out[d] += factor * std::abs(v[d]);
    }
  };
  llvm::parallelFor(0, query->rows(), [&](size_t row) {
    for (int64_t h = 0; h < heads; ++h)
      follow(
          int64_t(row) / queries, int64_t(row) % queries, h,
          MutableArrayRef(bound).slice((row * heads + h) * valueDim, valueDim));
  });
  return bound;
}

ErrorBounds::Bounds ErrorBounds::followElementwise(Operation *op,
                                                   ArrayRef<Value> operands,
                                                   const Tensor &result) const {
  Bounds bound(result.data.size(), std::numeric_limits<double>::infinity());
  llvm::Expected<ScalarOp> function = ScalarOp::of(op, rounding);
  if (!function) {
    llvm::consumeError(function.takeError());
    return bound;
  }
  SmallVector<std::shared_ptr<const Tensor>> tensors;
  for (const Value &operand : operands)
    tensors.push_back(operand.tensor());
  SmallVector<Scalar, 4> elements(operands.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    for (size_t o = 0; o < operands.size(); ++o)
      elements[o] =
          getElement(*tensors[o], getElementTypeOrSelf(op->getOperand(o)), i,
                     at(op->getOperand(o), i));
    bound[i] = (*function)(elements).error;
  }
  return bound;
}

void ErrorBounds::follow(GenericOp op, ArrayRef<Value> operands,
                         ArrayRef<Value> values,
                         const Environment &environment) {
  if (auto form = LinearForm::of(op)) {
    bounds[op.getResult(0)] =
        linearBounds(*operands[form->x].tensor(), of(op.getInputs()[form->x]),
                     operands[form->w], nullptr, *values[0].tensor());
    return;
  }
  std::vector<TensorWithErrors> tensors;
  for (auto [name, operand] : llvm::zip_equal(op.getOperands(), operands))
    tensors.push_back({operand.tensor(), of(name).vec()});
  auto results = evaluateGeneric(op, tensors, environment, rounding);
  if (!results) // The evaluator has reported it.
    return llvm::consumeError(results.takeError());
  for (auto [name, result] : llvm::zip_equal(op.getResults(), *results))
    bounds[name] = std::move(result.errors);
}

} // namespace heddle::reference
