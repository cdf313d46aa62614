// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"
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

  int64_t heads() const { return value->shape[0] * value->shape[1]; }
  /// The row of token t of the queries and keys that a head has.
  int64_t rowOfKey(int64_t head, int64_t t) const {
    int64_t group = value->shape[1] / key->shape[1];
    return head / group * length() + t;
  }
  /// How many gates a token has.
  int64_t gatesOfToken() const {
    return gates->shape.size() == 4 ? keyDim() : 1;
  }
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

// S_t = diag(exp(g_t)) S_(t-1) + k_t u_t^T, o_t = S_t^T q_t, where u_t is v_t,
// or b_t (v_t - (diag(exp(g_t)) S_(t-1))^T k_t).
//
// Code sums up the terms of a chunk by products of matrices: each product with
// a state is a sum over a key's channels and over the tokens of a chunk. A
// decay is the exponential of a sum of gates: those of a chunk are added one by
// one, those of n chunks in log2(n) steps, and each addition rounds what there
// is so far. With gates of channels a decay within a chunk is a product of two.
static void runHead(const Recurrence &all, int64_t head, State &state,
                    Tensor &output, Step step) {
  double u = precision().roundoff;
  double roundings = gamma(all.keyDim()) + gamma(all.chunk) + 6 * u;
  double steps = llvm::Log2_64_Ceil(llvm::divideCeil(all.length(), all.chunk));
  std::vector<double> gateSums(all.gates ? all.gatesOfToken() : 0);
  std::vector<double> magnitudes;
  // Tokens that a chunk lacks are zeros in code, whose sums have either sign.
  auto boundsOfState = [&] {
    Bounds bounds;
    for (double element : state.sum.data)
      bounds.push_back(std::max(2 * u * std::abs(element), kEitherSign));
    return bounds;
  };
  if (all.length() == 0)
    step(state.sum, boundsOfState);
  auto boundsOfProduct = [&] {
    Bounds bounds;
    for (double magnitude : magnitudes)
      bounds.push_back(roundings * magnitude);
    return bounds;
  };
  for (int64_t t = 0; t < all.length(); ++t) {
    int64_t row = head * all.length() + t;
    ArrayRef<double> key = all.key->row(all.rowOfKey(head, t));
    if (all.gates) {
      int64_t count = gateSums.size();
      Tensor decay = Tensor::zeros({count});
      Bounds errors;
      for (int64_t c = 0; c < count; ++c) {
        double gate = all.gates->data[row * count + c];
        gateSums[c] = (t % all.chunk ? gateSums[c] : 0) + std::abs(gate);
        double rounded = gateSums[c] + steps * std::abs(gate);
        // A state that has been decayed by more is nothing beside a rounding.
        double most = precision().isDouble() ? 746 : 104;
        decay.data[c] = std::exp(gate);
        errors.push_back(exp(Approx(gate, u * std::min(rounded, most))).error);
      }
      step(decay, [&] { return errors; });
      for (Tensor *part : {&state.sum, &state.magnitudes})
        for (int64_t c = 0; c < all.keyDim(); ++c)
          for (double &element : part->row(c))
            element *= decay.data[count == 1 ? 0 : c];
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
    step(state.sum, boundsOfState);
    Tensor result =
        multiply(state, all.query->row(all.rowOfKey(head, t)), magnitudes);
    step(result, boundsOfProduct);
    llvm::copy(result.data, output.row(row).begin());
  }
}

template <typename Op>
static llvm::Expected<Results> run(Op op, const Recurrence &all, Step step) {
  SmallVector<int64_t> shape(all.value->shape);
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
  const Tensor &key = *all.key, &value = *all.value;
  // [batch, heads, length] of each operand: heads are those of keys or values.
  for (const auto &[what, tensor, heads] :
       {std::tuple("query", all.query, key.shape[1]),
        std::tuple("value", all.value, value.shape[1]),
        std::tuple("gates", all.gates, value.shape[1]),
        std::tuple("strengths", all.strengths, value.shape[1])}) {
    int64_t expected[] = {key.shape[0], heads, key.shape[2]};
    for (unsigned dim : {0, 1, 2})
      if (tensor)
        if (llvm::Error error =
                expectSize(op, Twine("dimension ") + Twine(dim) + " of " + what,
                           expected[dim], tensor->shape[dim]))
          return error;
  }
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
