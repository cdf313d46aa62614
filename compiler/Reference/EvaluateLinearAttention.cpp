// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

namespace {
/// The operands of both ops, of which one has strengths.
struct Recurrence {
  std::shared_ptr<const Tensor> query, key, value, gates, state, strengths;
  int64_t chunk;

  template <typename Op>
  Recurrence(Op op, const Environment &values)
      : query(values.tensor(op.getQuery())), key(values.tensor(op.getKey())),
        value(values.tensor(op.getValue())),
        gates(op.getGates() ? values.tensor(op.getGates()) : nullptr),
        state(op.getState() ? values.tensor(op.getState()) : nullptr),
        chunk(op.getChunk()) {}

  int64_t heads() const { return query->shape[0] * query->shape[1]; }
  int64_t length() const { return query->shape[2]; }
  int64_t keyDim() const { return key->channels(); }
  int64_t valueDim() const { return value->channels(); }
};

/// S and, in the same order, the magnitudes of the terms that it is a sum of.
struct State {
  Tensor sum, magnitudes;
};
} // namespace

// S^T x, by a product with each row of the state; tells how large its terms
// are.
static Tensor multiply(const State &state, ArrayRef<double> x,
                       std::vector<double> &magnitudes) {
  Tensor y = Tensor::zeros({1, state.sum.channels()});
  magnitudes.assign(y.data.size(), 0);
  for (int64_t c = 0; c < state.sum.rows(); ++c)
    for (int64_t e = 0; e < y.channels(); ++e) {
      y.data[e] += x[c] * state.sum.row(c)[e];
      magnitudes[e] += std::abs(x[c]) * state.magnitudes.row(c)[e];
    }
  return y;
}

// S_t = exp(g_t) S_(t-1) + k_t u_t^T, o_t = S_t^T q_t, where u_t is v_t, or
// b_t (v_t - exp(g_t) S_(t-1)^T k_t).
//
// Code sums up the terms of a chunk by products of matrices: each product with
// a state is a sum over a key's channels and over the tokens of a chunk. A
// decay is the exponential of a sum of gates: those of a chunk are added one by
// one, those of n chunks in log2(n) steps, and each addition rounds what there
// is so far.
static void runHead(const Recurrence &all, int64_t head, State &state,
                    Tensor &output, Step step) {
  double roundings = gamma(all.keyDim()) + gamma(all.chunk) + 4 * u;
  double steps = llvm::Log2_64_Ceil(llvm::divideCeil(all.length(), all.chunk));
  double gateSum = 0;
  std::vector<double> magnitudes;
  auto boundsOfProduct = [&] {
    Bounds bounds;
    for (double magnitude : magnitudes)
      bounds.push_back(roundings * magnitude);
    return bounds;
  };
  for (int64_t t = 0; t < all.length(); ++t) {
    int64_t row = head * all.length() + t;
    ArrayRef<double> key = all.key->row(row);
    if (all.gates) {
      double gate = all.gates->data[row];
      gateSum = (t % all.chunk ? gateSum : 0) + std::abs(gate);
      double rounded = gateSum + steps * std::abs(gate);
      Tensor decay({1}, {std::exp(gate)});
      // What has been decayed by more is nothing beside a rounding.
      constexpr double most = 104;
      double error = exp(Approx(gate, u * std::min(rounded, most))).error;
      step(decay, [&] { return Bounds{error}; });
      for (Tensor *part : {&state.sum, &state.magnitudes})
        for (double &element : part->data)
          element *= decay.data[0];
    }
    Tensor added({1, all.valueDim()}, all.value->row(row).vec());
    if (all.strengths) {
      Tensor known = multiply(state, key, magnitudes);
      step(known, boundsOfProduct);
      for (auto [v, old] : llvm::zip_equal(added.data, known.data))
        v = all.strengths->data[row] * (v - old);
      step(added, [&] {
        Bounds bounds;
        for (auto [v, old] : llvm::zip_equal(added.data, known.data))
          bounds.push_back(
              2 * u * (std::abs(v) + std::abs(all.strengths->data[row] * old)));
        return bounds;
      });
    }
    for (int64_t c = 0; c < all.keyDim(); ++c)
      for (int64_t e = 0; e < all.valueDim(); ++e) {
        state.sum.row(c)[e] += key[c] * added.data[e];
        state.magnitudes.row(c)[e] += std::abs(key[c] * added.data[e]);
      }
    step(state.sum, [&] {
      Bounds bounds;
      for (double element : state.sum.data)
        bounds.push_back(2 * u * std::abs(element));
      return bounds;
    });
    Tensor result = multiply(state, all.query->row(row), magnitudes);
    step(result, boundsOfProduct);
    llvm::copy(result.data, output.row(row).begin());
  }
}

template <typename Op>
static llvm::Expected<Results> run(Op op, const Recurrence &all, Step step) {
  SmallVector<int64_t> shape(all.query->shape);
  shape[3] = all.valueDim();
  Tensor output = Tensor::zeros(shape);
  shape[2] = all.keyDim();
  Tensor last = Tensor::zeros(shape);
  int64_t size = all.keyDim() * all.valueDim();
  for (int64_t head = 0; head < all.heads(); ++head) {
    Tensor before = Tensor::zeros({all.keyDim(), all.valueDim()});
    if (all.state)
      llvm::copy(ArrayRef(all.state->data).slice(head * size, size),
                 before.data.begin());
    State state{before, before};
    for (double &element : state.magnitudes.data)
      element = std::abs(element);
    runHead(all, head, state, output, step);
    llvm::copy(state.sum.data, last.data.begin() + head * size);
  }
  Results results{output};
  if (op.getFinalState())
    results.push_back(last);
  return results;
}

template <typename Op>
static llvm::Error checkShapes(Op op, const Recurrence &all) {
  for (unsigned dim : {0, 1, 2})
    for (const auto &[what, tensor] :
         {std::pair("key", all.key), std::pair("value", all.value),
          std::pair("gates", all.gates), std::pair("strengths", all.strengths)})
      if (tensor)
        if (llvm::Error error =
                expectSize(op, Twine("dimension ") + Twine(dim) + " of " + what,
                           all.query->shape[dim], tensor->shape[dim]))
          return error;
  return llvm::Error::success();
}

static llvm::Expected<Results> compute(LinearAttentionOp op,
                                       const Environment &values, Step step) {
  Recurrence all(op, values);
  if (llvm::Error error = checkShapes(op, all))
    return error;
  return run(op, all, step);
}

static llvm::Expected<Results> compute(GatedDeltaRuleOp op,
                                       const Environment &values, Step step) {
  Recurrence all(op, values);
  all.strengths = values.tensor(op.getStrengths());
  if (llvm::Error error = checkShapes(op, all))
    return error;
  return run(op, all, step);
}

void registerLinearAttention(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachStepwise<LinearAttentionOp, GatedDeltaRuleOp>(context);
  });
}

} // namespace heddle::reference
