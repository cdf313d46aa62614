// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

// Activations that lie between two codes may become either, if what they are
// made of was rounded. One code of each group is moved: rarely are several so
// near the middle, and four times the largest difference is allowed.
static bool mayBeEither(DequantizeOp op, const Operands &operands) {
  auto made = op.getCodes().getDefiningOp<QuantizeOp>();
  return made && !made.getInput().getDefiningOp<WeightRefOp>() &&
         operands.errors &&
         operands.errors->getRounding() == Rounding::ToEither;
}

// As the op rounds it: what becomes other integers has its ties there.
static Approx inSingle(Approx x) { return {double(float(x.value)), x.error}; }

// (q[.., k, ..] - zeros[.., j, ..]) * scales[.., j, ..] - minimums[.., j, ..]
// with j = k floordiv g
static llvm::Expected<ApproxTensors> compute(DequantizeOp op,
                                             const Operands &operands) {
  ApproxTensor q = operands[op.getCodes()], scales = operands[op.getScales()];
  ApproxTensor zeros, minimums;
  if (op.getZeros())
    zeros = operands[op.getZeros()];
  if (op.getMinimums())
    minimums = operands[op.getMinimums()];
  int64_t axis = op.getAxis();
  int64_t group = q.shape[axis] / scales.shape[axis];
  int64_t stride = llvm::product_of(ArrayRef(q.shape).drop_front(axis + 1));
  bool areEither = mayBeEither(op, operands);
  ApproxTensor y = q;
  for (size_t i = 0; i < y.data.size(); ++i) {
    int64_t inner = int64_t(i) % stride;
    // Before that of `i` are so many groups.
    int64_t at = int64_t(i) / stride / group * stride + inner;
    Approx code = q.data[i];
    if (areEither && int64_t(i) / stride % group == at % group)
      code.error += 1;
    if (op.getZeros())
      code = Approx(code.value - zeros.data[at].value,
                    code.error + zeros.data[at].error);
    y.data[i] = inSingle(code * scales.data[at]);
    if (op.getMinimums())
      y.data[i] = inSingle(y.data[i] - minimums.data[at]);
  }
  return ApproxTensors{y};
}

namespace {
/// The integers that codes are.
struct CodeRange {
  double lowest, largest;

  /// x / scale, rounded to f32 and then to the nearest of them.
  double codeOf(double x, double scale) const {
    double code = std::nearbyint(float(x / scale));
    bool isZero = scale == 0 || code == 0 || std::isnan(code); // without a sign
    return isZero ? 0 : std::clamp(code, lowest, largest);
  }

  /// A code of numbers that are off by their errors.
  Approx codeOf(Approx x, Approx scale) const {
    Approx quotient = x / scale;
    double code = codeOf(x.value, scale.value), error = 0;
    if (scale.value == 0 && scale.error == 0)
      return code;
    if (!std::isfinite(quotient.error))
      return {code, largest - lowest};
    for (double moved :
         {quotient.value - quotient.error, quotient.value + quotient.error})
      error = std::max(error, std::abs(codeOf(moved, 1) - code));
    return {code, error};
  }
};
} // namespace

// The scale of `least_squares` of one group.
static double fitScale(ArrayRef<double> x, const CodeRange &range) {
  double most = 0;
  for (double element : x) {
    if (!std::isfinite(element))
      return std::nan("");
    if (std::abs(element) > std::abs(most))
      most = element;
  }
  if (most == 0)
    return 0;
  double best = 0, bestGain = 0;
  for (int64_t i = -QuantizeOp::kCandidates; i <= QuantizeOp::kCandidates;
       ++i) {
    double inverse = -(range.largest + 1 + double(i) / 10) / most;
    double products = 0, squares = 0;
    for (double element : x) {
      double code = std::clamp(std::nearbyint(element * inverse), range.lowest,
                               range.largest);
      products += element * code;
      squares += code * code;
    }
    double gain = products * products / squares;
    if (gain > bestGain) {
      bestGain = gain;
      best = products / squares;
    }
  }
  return best;
}

// scales[.., j, ..] = max over k of group j of |x[.., k, ..]| / largest
static llvm::Expected<ApproxTensors> compute(QuantizeOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()];
  CodeRange range{double(op.getLowest()), double(op.getLargest())};
  int64_t axis = op.getAxis(), group = op.getGroup();
  int64_t stride = llvm::product_of(ArrayRef(x.shape).drop_front(axis + 1));
  SmallVector<int64_t> ofGroups(x.shape);
  ofGroups[axis] /= group;
  ApproxTensor scales = ApproxTensor::ofShape(ofGroups), codes = x;
  auto groupOf = [&](size_t i) {
    return int64_t(i) / stride / group * stride + int64_t(i) % stride;
  };
  Type type = getElementTypeOrSelf(op.getScales());
  // Scales of weights are made once, as here.
  bool isOfWeight = bool(op.getInput().getDefiningOp<WeightRefOp>());
  Rounding rounding = operands.errors && !isOfWeight
                          ? operands.errors->getRounding()
                          : Rounding::Exactly;
  if (op.getLeastSquares()) {
    std::vector<std::vector<double>> members(scales.data.size());
    for (auto [i, element] : llvm::enumerate(x.data))
      members[groupOf(i)].push_back(element.value);
    for (auto [scale, elements] : llvm::zip_equal(scales.data, members))
      scale = fitScale(elements, range);
  } else {
    for (auto [i, element] : llvm::enumerate(x.data)) {
      Approx &largest = scales.data[groupOf(i)];
      largest = maximum(largest, {std::abs(element.value), element.error});
    }
    for (Approx &scale : scales.data)
      scale = scale / Approx(range.largest);
  }
  double most =
      llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
          .convertToDouble();
  for (Approx &scale : scales.data) {
    if (!std::isinf(scale.value))
      scale.value = std::clamp(scale.value, -most, most);
    scale = storeAs(type, scale, rounding);
    scale.value = float(scale.value);
  }
  for (auto [i, code] : llvm::enumerate(codes.data))
    code = range.codeOf(x.data[i], scales.data[groupOf(i)]);
  return ApproxTensors{codes, scales};
}

// bits k * bits to (k + 1) * bits - 1 of words[.., :, ..] + offset
static llvm::Expected<ApproxTensors> compute(UnpackOp op,
                                             const Operands &operands) {
  ApproxTensor words = operands[op.getWords()];
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ApproxTensor unpacked =
      ApproxTensor::ofShape(SmallVector<int64_t>(type.getShape()));
  int64_t axis = op.getAxis(), bits = op.getBits(), wide = op.getWordBits();
  int64_t count = type.getDimSize(axis), wordCount = words.shape[axis];
  int64_t stride = llvm::product_of(type.getShape().drop_front(axis + 1));
  for (auto [i, element] : llvm::enumerate(unpacked.data)) {
    int64_t inner = int64_t(i) % stride, place = int64_t(i) / stride % count;
    int64_t outer = int64_t(i) / stride / count;
    int64_t number = 0;
    for (int64_t bit = 0; bit < bits; ++bit) {
      int64_t at = place * bits + bit;
      const Approx &word =
          words.data[(outer * wordCount + at / wide) * stride + inner];
      number += (int64_t(word.value) >> at % wide & 1) << bit;
    }
    element = double(number + int64_t(op.getOffset()));
  }
  return ApproxTensors{unpacked};
}

// c + 2^(bits - 1)
static llvm::Expected<ApproxTensors> compute(OffsetBinaryOp op,
                                             const Operands &operands) {
  ApproxTensor codes = operands[op.getCodes()];
  unsigned bits = getElementTypeOrSelf(op.getCodes()).getIntOrFloatBitWidth();
  for (Approx &code : codes.data)
    code = code.value + std::ldexp(1, int(bits) - 1);
  return ApproxTensors{codes};
}

void registerQuantization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<DequantizeOp, OffsetBinaryOp, QuantizeOp, UnpackOp>(context);
  });
}

} // namespace heddle::reference
