// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

#include "llvm/Support/Parallel.h"

using namespace mlir;

namespace heddle::reference {

// The bias is one more term of the sum.
static std::optional<ApproxTensor> biasOf(mlir::Value name,
                                          const Operands &operands) {
  if (!name)
    return std::nullopt;
  return operands[name];
}

// conv_1d(x, W, b)[n, o, l] = b[o] + sum_(i, k) W[o, i, k] * x[n, g * I + i, m]
// with g = o div (O / groups), m = l * stride + k * dilation - padding, and x 0
// outside.
static llvm::Expected<ApproxTensors> compute(Conv1DOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()], w = operands[op.getWeight()];
  std::optional<ApproxTensor> bias = biasOf(op.getBias(), operands);
  int64_t batch = x.shape[0], length = x.shape[2];
  int64_t outputs = w.shape[0], inputs = w.shape[1], taps = w.shape[2];
  int64_t stride = op.getStride(), dilation = op.getDilation(),
          padding = op.getPadding();
  int64_t reach = length + 2 * padding - dilation * (taps - 1) - 1;
  if (reach < 0)
    return fail(op, "expected an input as long as the taps reach, found " +
                        Twine(length) + " elements");
  int64_t perGroup = outputs / int64_t(op.getGroups());
  ApproxTensor y = ApproxTensor::ofShape({batch, outputs, reach / stride + 1});
  llvm::parallelFor(0, batch * outputs, [&](size_t row) {
    int64_t n = int64_t(row) / outputs, o = int64_t(row) % outputs;
    int64_t g = o / perGroup;
    for (int64_t l = 0; l < y.shape[2]; ++l) {
      Sum sum;
      for (int64_t i = 0; i < inputs; ++i)
        for (int64_t k = 0; k < taps; ++k) {
          int64_t m = l * stride + k * dilation - padding;
          if (m >= 0 && m < length)
            sum.add(w.at({o, i, k}) * x.at({n, g * inputs + i, m}));
        }
      if (bias)
        sum.add(bias->data[o]);
      y.at({n, o, l}) = sum.result();
    }
  });
  return ApproxTensors{y};
}

// patch_embedding(x, F, b)[n, t, o] = b[o]
//   + sum_(c, i, j) F[o, c, i, j] * x[n, c, (t div w) * p + i, (t mod w) * p +
//   j]
static llvm::Expected<ApproxTensors> compute(PatchEmbeddingOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()], f = operands[op.getWeight()];
  std::optional<ApproxTensor> bias = biasOf(op.getBias(), operands);
  int64_t batch = x.shape[0], channels = x.shape[1];
  int64_t outputs = f.shape[0], p = f.shape[2];
  int64_t height = x.shape[2] / p, width = x.shape[3] / p;
  ApproxTensor y = ApproxTensor::ofShape({batch, height * width, outputs});
  llvm::parallelFor(0, batch * height * width, [&](size_t row) {
    int64_t n = int64_t(row) / (height * width);
    int64_t t = int64_t(row) % (height * width);
    for (int64_t o = 0; o < outputs; ++o) {
      Sum sum;
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t i = 0; i < p; ++i)
          for (int64_t j = 0; j < p; ++j)
            sum.add(f.at({o, c, i, j}) *
                    x.at({n, c, t / width * p + i, t % width * p + j}));
      if (bias)
        sum.add(bias->data[o]);
      y.at({n, t, o}) = sum.result();
    }
  });
  return ApproxTensors{y};
}

void registerConvolution(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<Conv1DOp, PatchEmbeddingOp>(context);
  });
}

} // namespace heddle::reference
