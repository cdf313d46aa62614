// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

template <typename Function>
static llvm::Expected<Value>
elementwise(Operation *op, const Environment &values, Function function) {
  auto lhs = values.tensor(op->getOperand(0)),
       rhs = values.tensor(op->getOperand(1));
  if (lhs->shape != rhs->shape)
    return fail(op, "expected operands of one shape, found " +
                        describe(lhs->shape) + " and " + describe(rhs->shape));
  Tensor result = Tensor::zeros(lhs->shape);
  for (size_t i = 0; i < result.data.size(); ++i)
    result.data[i] = function(lhs->data[i], rhs->data[i]);
  return result;
}

/// An integer op, which wraps around.
template <typename Function>
static llvm::Expected<Value>
elementwiseInt(Operation *op, const Environment &values, Function function) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32))
    return fail(op, "expected i32 elements");
  return elementwise(op, values, [&](double lhs, double rhs) {
    auto toBits = [](double x) { return uint32_t(int32_t(x)); };
    return double(int32_t(function(toBits(lhs), toBits(rhs))));
  });
}

// arith.maximumf and arith.minimumf are IEEE 754's maximum and minimum: a NaN
// wins, and -0 is less than 0. std::max knows neither.
static double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x < y || (x == y && std::signbit(x)) ? y : x;
}

static double minimum(double x, double y) { return -maximum(-x, -y); }

static llvm::Expected<Value> negate(arith::NegFOp op,
                                    const Environment &values) {
  Tensor result = *values.tensor(op.getOperand());
  for (double &element : result.data)
    element = -element;
  return result;
}

llvm::Expected<Value> evaluateArith(Operation *op, const Environment &values) {
  if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return fail(op, "expected a tensor as result");
  auto floats = [&](auto function) {
    return elementwise(op, values, function);
  };
  auto ints = [&](auto function) {
    return elementwiseInt(op, values, function);
  };
  return llvm::TypeSwitch<Operation *, llvm::Expected<Value>>(op)
      .Case([&](arith::ConstantOp op) {
        return evaluateElements(op, cast<ElementsAttr>(op.getValue()));
      })
      .Case([&](arith::NegFOp op) { return negate(op, values); })
      .Case([&](arith::AddFOp) { return floats(std::plus<>()); })
      .Case([&](arith::SubFOp) { return floats(std::minus<>()); })
      .Case([&](arith::MulFOp) { return floats(std::multiplies<>()); })
      .Case([&](arith::DivFOp) { return floats(std::divides<>()); })
      .Case([&](arith::MaximumFOp) { return floats(maximum); })
      .Case([&](arith::MinimumFOp) { return floats(minimum); })
      .Case([&](arith::AddIOp) { return ints(std::plus<>()); })
      .Case([&](arith::SubIOp) { return ints(std::minus<>()); })
      .Case([&](arith::MulIOp) { return ints(std::multiplies<>()); })
      .Default([&](Operation *op) -> llvm::Expected<Value> {
        return fail(op, "the reference evaluator does not know this op");
      });
}

} // namespace heddle::reference
