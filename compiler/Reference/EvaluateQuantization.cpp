// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

// (q[.., k, ..] - zeros[.., k floordiv g, ..]) * scales[.., k floordiv g, ..]
static llvm::Expected<ApproxTensors> compute(DequantizeOp op,
                                             const Operands &operands) {
  ApproxTensor q = operands[op.getCodes()], scales = operands[op.getScales()];
  ApproxTensor zeros;
  if (op.getZeros())
    zeros = operands[op.getZeros()];
  int64_t axis = op.getAxis();
  int64_t group = q.shape[axis] / scales.shape[axis];
  int64_t stride = llvm::product_of(ArrayRef(q.shape).drop_front(axis + 1));
  ApproxTensor y = q;
  for (size_t i = 0; i < y.data.size(); ++i) {
    int64_t inner = int64_t(i) % stride;
    int64_t groups = int64_t(i) / stride / group; // before that of `i`
    Approx code = q.data[i];
    if (op.getZeros()) {
      const Approx &zero = zeros.data[groups * stride + inner];
      code = Approx(code.value - zero.value, code.error + zero.error);
    }
    y.data[i] = code * scales.data[groups * stride + inner];
  }
  return ApproxTensors{y};
}

// x / scale, rounded to f32 and then to the nearest integer of -127 to 127.
static double codeOf(double x, double scale) {
  double code = std::nearbyint(float(x / scale));
  bool isZero = scale == 0 || code == 0 || std::isnan(code); // without a sign
  return isZero ? 0 : std::clamp(code, -127.0, 127.0);
}

// A code of code, whose numbers are off by their errors.
static Approx codeOf(Approx x, Approx scale) {
  Approx quotient = x / scale;
  double code = codeOf(x.value, scale.value), error = 0;
  if (scale.value == 0 && scale.error == 0)
    return code;
  if (!std::isfinite(quotient.error))
    return {code, 254};
  for (double moved :
       {quotient.value - quotient.error, quotient.value + quotient.error})
    error = std::max(error, std::abs(codeOf(moved, 1) - code));
  return {code, error};
}

// scales[.., j, ..] = max over k of group j of |x[.., k, ..]| / 127
static llvm::Expected<ApproxTensors> compute(QuantizeOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()];
  int64_t axis = op.getAxis(), group = op.getGroup();
  int64_t stride = llvm::product_of(ArrayRef(x.shape).drop_front(axis + 1));
  SmallVector<int64_t> ofGroups(x.shape);
  ofGroups[axis] /= group;
  ApproxTensor scales = ApproxTensor::ofShape(ofGroups), codes = x;
  auto groupOf = [&](size_t i) {
    return int64_t(i) / stride / group * stride + int64_t(i) % stride;
  };
  for (auto [i, element] : llvm::enumerate(x.data)) {
    Approx &largest = scales.data[groupOf(i)];
    largest = maximum(largest, {std::abs(element.value), element.error});
  }
  Type type = getElementTypeOrSelf(op.getScales());
  Rounding rounding =
      operands.errors ? operands.errors->getRounding() : Rounding::Exactly;
  for (Approx &scale : scales.data) {
    scale = storeAs(type, scale / Approx(127), rounding);
    scale.value = float(scale.value);
  }
  for (auto [i, code] : llvm::enumerate(codes.data))
    code = codeOf(x.data[i], scales.data[groupOf(i)]);
  return ApproxTensors{codes, scales};
}

void registerQuantization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<DequantizeOp, QuantizeOp>(context);
  });
}

} // namespace heddle::reference
