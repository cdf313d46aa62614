// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/ScalarMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle::reference {

// An op on tensors is the same op on each element.
llvm::Expected<Value> evaluateElementwise(Operation *op,
                                          const Environment &values) {
  if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return fail(op, "expected a tensor as result");
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateElements(op, cast<ElementsAttr>(constant.getValue()));
  llvm::Expected<ScalarOp> function = ScalarOp::of(op);
  if (!function)
    return function.takeError();
  SmallVector<std::shared_ptr<const Tensor>> operands;
  SmallVector<Type> types;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(values.tensor(operand));
    types.push_back(getElementTypeOrSelf(operand));
    if (operands.back()->shape != operands.front()->shape)
      return fail(op, "expected operands of one shape, found " +
                          describe(operands.front()->shape) + " and " +
                          describe(operands.back()->shape));
  }
  Type type = getElementTypeOrSelf(op->getResult(0));
  Tensor result = Tensor::zeros(operands.front()->shape);
  SmallVector<Scalar, 4> elements(operands.size());
  for (size_t i = 0; i < result.data.size(); ++i) {
    for (size_t o = 0; o < operands.size(); ++o)
      elements[o] = toScalar(types[o], operands[o]->data[i]);
    result.data[i] = fromScalar(type, (*function)(elements));
  }
  return result;
}

} // namespace heddle::reference
