// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

// softmax over the last dimension
static Tensor softmaxStep(const Tensor &x, Step step) {
  Tensor y = x;
  Bounds bounds;
  for (int64_t row = 0; row < x.rows(); ++row) {
    SmallVector<Approx> shares(x.row(row));
    softmax(shares);
    for (auto [to, share] : llvm::zip_equal(y.row(row), shares)) {
      to = share.value;
      bounds.push_back(share.error);
    }
  }
  step(y, [&] { return bounds; });
  return y;
}

// The `count` largest in descending order, of equal ones the first.
static SmallVector<int64_t> largestOf(ArrayRef<double> shares, int64_t count) {
  SmallVector<int64_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    return shares[x] > shares[y] ||
           (std::isnan(shares[x]) && !std::isnan(shares[y]));
  });
  order.resize(count);
  return order;
}

// The matrix of expert `e`.
static Value matrixOf(const Value &matrices, int64_t e) {
  Tensor matrix = *matrices.part(e).tensor();
  matrix.shape.erase(matrix.shape.begin());
  return matrix;
}

//===-- heddle.expert_linear ----------------------------------------------===//

namespace {
/// Rows that one expert computes, and where their inputs and results are.
struct ExpertRows {
  Value matrix;
  std::optional<Value> bias;
  Tensor inputs;
  Bounds errors;                ///< of the inputs; none where these are exact
  SmallVector<int64_t> results; ///< rows of the result

  const Value *biasOrNull() const { return bias ? &*bias : nullptr; }
};
} // namespace

// For each expert, the tokens' choices of it.
static std::vector<ExpertRows> rowsOfExperts(ExpertLinearOp op,
                                             const Environment &values,
                                             ArrayRef<double> errors) {
  auto x = values.tensor(op.getInput());
  auto choices = values.tensor(op.getExperts());
  int64_t experts = values[op.getWeight()].shape()[0];
  int64_t perToken = op.hasOwnInputs() ? 1 : choices->channels();
  std::vector<SmallVector<int64_t>> taken(experts);
  for (size_t row = 0; row < choices->data.size(); ++row)
    taken[std::clamp<int64_t>(choices->integer(row), 0, experts - 1)].push_back(
        row);
  std::vector<ExpertRows> result;
  for (auto [e, rows] : llvm::enumerate(taken)) {
    if (rows.empty())
      continue;
    ExpertRows one{matrixOf(values[op.getWeight()], e), std::nullopt,
                   Tensor::zeros({int64_t(rows.size()), x->channels()}),
                   Bounds(), rows};
    if (op.getBias()) {
      Tensor bias = *values[op.getBias()].part(e).tensor();
      bias.shape.erase(bias.shape.begin());
      one.bias = std::move(bias);
    }
    for (auto [to, row] : llvm::enumerate(rows)) {
      int64_t from = row / perToken;
      llvm::copy(x->row(from), one.inputs.row(to).begin());
      if (!errors.empty())
        llvm::append_range(one.errors,
                           errors.slice(from * x->channels(), x->channels()));
    }
    result.push_back(std::move(one));
  }
  return result;
}

// sum_k x[.., (j,) k] * W[e[.., j], n, k] + b[e[.., j], n]
static llvm::Expected<Value> evaluate(ExpertLinearOp op,
                                      const Environment &values) {
  SmallVector<int64_t> shape(values.tensor(op.getExperts())->shape);
  shape.push_back(values[op.getWeight()].shape()[1]);
  Tensor result = Tensor::zeros(shape);
  for (const ExpertRows &one : rowsOfExperts(op, values, {})) {
    Tensor outputs = linear(one.inputs, one.matrix, one.biasOrNull());
    for (auto [from, to] : llvm::enumerate(one.results))
      llvm::copy(outputs.row(from), result.row(to).begin());
  }
  return result;
}

static Bounds boundOf(ExpertLinearOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  Bounds bounds(result.data.size(), 0.0);
  int64_t width = result.channels();
  for (const ExpertRows &one :
       rowsOfExperts(op, values, errors.of(op.getInput()))) {
    Tensor outputs = linear(one.inputs, one.matrix, one.biasOrNull());
    Bounds own = linearBounds(one.inputs, one.errors, one.matrix,
                              one.biasOrNull(), outputs);
    for (auto [from, to] : llvm::enumerate(one.results))
      std::copy_n(own.begin() + from * width, width,
                  bounds.begin() + to * width);
  }
  return bounds;
}

//===-- heddle.mixture_of_experts -----------------------------------------===//

namespace {
/// A token that takes an expert, which counts for `share`.
struct Taken {
  int64_t token;
  double share;
};
} // namespace

// q_j of each token, for each expert those that take it.
static std::vector<SmallVector<Taken>> choose(MixtureOfExpertsOp op,
                                              const Tensor &shares) {
  std::vector<SmallVector<Taken>> tokens(shares.channels());
  for (int64_t token = 0; token < shares.rows(); ++token) {
    ArrayRef<double> p = shares.row(token);
    SmallVector<int64_t> experts = largestOf(p, op.getTop());
    double sum = 0;
    for (int64_t e : experts)
      sum += p[e];
    for (int64_t e : experts)
      tokens[e].push_back({token, op.getNormalized() ? p[e] / sum : p[e]});
  }
  return tokens;
}

// mixture_of_experts(x)
//   = sum_j q_j * gated_feed_forward(x, gate[e_j], up[e_j], down[e_j])
// and a shared expert, if there is one.
static llvm::Expected<Results> compute(MixtureOfExpertsOp op,
                                       const Environment &values, Step step) {
  auto x = values.tensor(op.getInput());
  Tensor shares =
      softmaxStep(linearStep(*x, values[op.getRouter()], nullptr, step), step);
  Tensor result = Tensor::zeros(x->shape), magnitudes = result;
  auto add = [&](int64_t token, double share, ArrayRef<double> y) {
    for (auto [c, element] : llvm::enumerate(y)) {
      result.row(token)[c] += share * element;
      magnitudes.row(token)[c] += std::abs(share * element);
    }
  };
  for (auto [e, taken] : llvm::enumerate(choose(op, shares))) {
    if (taken.empty())
      continue;
    Tensor inputs = Tensor::zeros({int64_t(taken.size()), x->channels()});
    for (auto [row, one] : llvm::enumerate(taken))
      llvm::copy(x->row(one.token), inputs.row(row).begin());
    GatedFeedForward expert{op.getKind(), matrixOf(values[op.getGate()], e),
                            matrixOf(values[op.getUp()], e),
                            matrixOf(values[op.getDown()], e)};
    Tensor outputs = expert.compute(inputs, step);
    for (auto [row, one] : llvm::enumerate(taken))
      add(one.token, one.share, outputs.row(row));
  }
  if (op.getSharedGate()) {
    GatedFeedForward shared{op.getKind(), values[op.getSharedGate()],
                            values[op.getSharedUp()],
                            values[op.getSharedDown()]};
    Tensor outputs = shared.compute(*x, step);
    for (int64_t token = 0; token < x->rows(); ++token)
      add(token, 1, outputs.row(token));
  }
  // Shares are divided, multiplied with what an expert gives, and added up.
  double roundings = gamma(double(op.getTop()) + 1) + 3 * precision().roundoff;
  step(result, [&] {
    Bounds bounds;
    for (double magnitude : magnitudes.data)
      bounds.push_back(roundings * magnitude);
    return bounds;
  });
  return Results{result};
}

void registerExperts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, ExpertLinearOp>(context);
    attach<Bounded, ExpertLinearOp>(context);
    attachStepwise<MixtureOfExpertsOp>(context);
  });
}

} // namespace heddle::reference
