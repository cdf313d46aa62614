// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms that subtract a mean.

#include "compiler/Reference/ApproxTensor.h"

#include <functional>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

// (x - m) / sqrt(v + epsilon), with m the mean of x and v that of (x - m)^2.
static void standardize(MutableArrayRef<Approx> x, double epsilon) {
  Approx count = double(x.size());
  Sum sum, squares;
  for (Approx element : x)
    sum.add(element);
  Approx mean = sum.result() / count;
  for (Approx &element : x) {
    element = element - mean;
    squares.add(element * element);
  }
  Approx variance = squares.result() / count;
  Approx scale = Approx(1) / sqrt(variance + Approx::constant(epsilon));
  for (Approx &element : x)
    element = element * scale;
}

// layer_norm(x, w, b)[.., c] = (x[.., c] - m) / sqrt(v + epsilon) * w[c] + b[c]
static llvm::Expected<ApproxTensors> compute(LayerNormOp op,
                                             const Operands &operands) {
  ApproxTensor y = operands[op.getInput()], w = operands[op.getWeight()];
  std::optional<ApproxTensor> bias;
  if (op.getBias())
    bias = operands[op.getBias()];
  for (int64_t row = 0; row < y.rows(); ++row) {
    auto x = MutableArrayRef(y.data).slice(row * y.channels(), y.channels());
    standardize(x, op.getEpsilon().convertToDouble());
    for (auto [c, element] : llvm::enumerate(x)) {
      element = element * w.data[c];
      if (bias)
        element = element + bias->data[c];
    }
  }
  return ApproxTensors{y};
}

// group_norm(x, w, b)[n, c, ..] = (x[n, c, ..] - m) / sqrt(v + epsilon) * w[c]
//                               + b[c]
static llvm::Expected<ApproxTensors> compute(GroupNormOp op,
                                             const Operands &operands) {
  ApproxTensor y = operands[op.getInput()];
  ApproxTensor w = operands[op.getWeight()], bias = operands[op.getBias()];
  int64_t channels = y.shape[1];
  int64_t places = std::accumulate(y.shape.begin() + 2, y.shape.end(),
                                   int64_t(1), std::multiplies<>());
  // A group's channels, and all of their places, lie side by side.
  int64_t size = channels / int64_t(op.getGroups()) * places;
  for (int64_t i = 0; size && i < int64_t(y.data.size()); i += size)
    standardize(MutableArrayRef(y.data).slice(i, size),
                op.getEpsilon().convertToDouble());
  for (auto [i, element] : llvm::enumerate(y.data)) {
    int64_t c = int64_t(i) / places % channels;
    element = element * w.data[c] + bias.data[c];
  }
  return ApproxTensors{y};
}

void registerNorms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<LayerNormOp, GroupNormOp>(context);
  });
}

} // namespace heddle::reference
