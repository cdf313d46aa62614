// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Attention/ConstantFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

// A constant, or the square root of one: exporters leave sqrt(d) as it is.
static std::optional<double> numberOf(Value value) {
  APFloat constant(0.0f);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant.convertToDouble();
  auto root = value.getDefiningOp<math::SqrtOp>();
  auto inverse = value.getDefiningOp<math::RsqrtOp>();
  if (!root && !inverse)
    return std::nullopt;
  Value operand = value.getDefiningOp()->getOperand(0);
  if (!matchPattern(operand, m_ConstantFloat(&constant)))
    return std::nullopt;
  double number = std::sqrt(constant.convertToDouble());
  return root ? number : 1 / number;
}

Value heddle::peelFactor(Value value, double &factor) {
  if (!value.getType().isF32())
    return {};
  if (auto quotient = value.getDefiningOp<arith::DivFOp>()) {
    std::optional<double> divisor = numberOf(quotient.getRhs());
    if (!divisor)
      return {};
    factor /= *divisor;
    return quotient.getLhs();
  }
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  for (auto [number, other] : {std::pair(product.getRhs(), product.getLhs()),
                               std::pair(product.getLhs(), product.getRhs())})
    if (std::optional<double> constant = numberOf(number)) {
      factor *= *constant;
      return other;
    }
  return {};
}

bool heddle::isScale(double factor) {
  return std::isfinite(factor) &&
         std::abs(factor) <= std::numeric_limits<float>::max() / 2;
}
