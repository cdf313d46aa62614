// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention between projections: linear layers, norms of heads, attention row
// by row and a linear layer.

#include "compiler/Reference/AttentionRows.h"
#include "compiler/Reference/Roundings.h"

using namespace mlir;

namespace heddle::reference {

using Shared = std::shared_ptr<const Tensor>;

// Channels `first` to `first + count - 1`.
static Tensor channelsOf(const Tensor &x, int64_t first, int64_t count) {
  SmallVector<int64_t> shape(x.shape);
  shape.back() = count;
  Tensor result = Tensor::zeros(shape);
  for (int64_t row = 0; row < x.rows(); ++row)
    llvm::copy(x.row(row).slice(first, count), result.row(row).begin());
  return result;
}

// Queries, keys and values.
static std::array<Tensor, 3> project(MultiHeadAttentionOp op,
                                     const Environment &values, Step step) {
  auto run = [&](mlir::Value input, mlir::Value weight, mlir::Value bias) {
    return linearStep(*values.tensor(input), values[weight],
                      optional(bias, values), step);
  };
  if (!op.getCombinedWeight())
    return {run(op.getQuery(), op.getQueryWeight(), op.getQueryBias()),
            run(op.getKey(), op.getKeyWeight(), op.getKeyBias()),
            run(op.getValue(), op.getValueWeight(), op.getValueBias())};
  Tensor all = run(op.getQuery(), op.getCombinedWeight(), op.getCombinedBias());
  int64_t d = op.getHeadDim(), heads = op.getHeads(), kv = op.getKvHeads();
  return {channelsOf(all, 0, heads * d), channelsOf(all, heads * d, kv * d),
          channelsOf(all, (heads + kv) * d, kv * d)};
}

// rms_norm of each head of x, [batch, length, heads * channels].
static Tensor normHeads(const Tensor &x, const Tensor &weight, double epsilon,
                        Step step) {
  int64_t channels = weight.data.size();
  Tensor heads({int64_t(x.data.size()) / channels, channels}, x.data);
  Tensor result = rmsNorm(heads, weight, epsilon);
  step(result,
       [&] { return rmsNormBounds(heads, {}, weight, epsilon, result); });
  return Tensor(x.shape, std::move(result.data));
}

// output = linear(attention(norm(q), norm(k), v), Wo, bo)
static llvm::Expected<Results> compute(MultiHeadAttentionOp op,
                                       const Environment &values,
                                       bool hasErrors, Step step) {
  auto [query, key, value] = project(op, values, step);
  if (op.getQueryNorm()) {
    double epsilon = op.getEpsilon()->convertToDouble();
    query = normHeads(query, *values.tensor(op.getQueryNorm()), epsilon, step);
    key = normHeads(key, *values.tensor(op.getKeyNorm()), epsilon, step);
  }
  auto headsOf = [](Tensor &x, int64_t heads) {
    return Heads(std::make_shared<const Tensor>(std::move(x)), heads);
  };
  llvm::Expected<AttentionRows> rows = AttentionRows::of(
      op, headsOf(query, op.getHeads()), headsOf(key, op.getKvHeads()),
      headsOf(value, op.getKvHeads()),
      op.getMask() ? &values[op.getMask()].mask() : nullptr,
      op.getScaleOrDefault(), hasErrors);
  if (!rows)
    return rows.takeError();
  SmallVector<AttentionResult> wanted = op.getWantedResults();
  std::vector<Tensor> attended = computeResults(*rows, wanted);
  SmallVector<Bounds> bounds;
  if (hasErrors)
    bounds = boundResults(*rows, wanted);
  Results results;
  for (auto [index, kind] : llvm::enumerate(wanted)) {
    Tensor &tensor = attended[index];
    step(tensor, [&, index = index] { return bounds[index]; });
    if (kind == AttentionResult::Output)
      tensor = linearStep(tensor, values[op.getOutputWeight()],
                          optional(op.getOutputBias(), values), step);
    results.push_back(std::move(tensor));
  }
  return results;
}

static llvm::Expected<Results> evaluate(MultiHeadAttentionOp op,
                                        const Environment &values) {
  return compute(op, values, /*hasErrors=*/false, [](Tensor &, auto) {});
}

namespace {
/// Each step is moved, as of a feed-forward layer.
struct MovedAttention
    : ErrorBoundOpInterface::ExternalModel<MovedAttention,
                                           MultiHeadAttentionOp> {
  void perturb(Operation *op, Perturbation &perturbation,
               const Environment &values,
               MutableArrayRef<Value> results) const {
    llvm::Expected<Results> moved =
        compute(cast<MultiHeadAttentionOp>(op), values, /*hasErrors=*/true,
                [&](Tensor &result, auto bounds) {
                  perturbation.move(result, bounds());
                });
    if (moved)
      llvm::move(*moved, results.begin());
    else // The evaluator has reported it.
      llvm::consumeError(moved.takeError());
  }
};
} // namespace

void registerMultiHeadAttention(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, MultiHeadAttentionOp>(context);
    MultiHeadAttentionOp::attachInterface<MovedAttention>(*context);
  });
}

} // namespace heddle::reference
