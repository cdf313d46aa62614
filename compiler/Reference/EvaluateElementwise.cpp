// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/ScalarMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace heddle::reference {

// A number is a tensor without dimensions.
static llvm::Expected<Value> evaluate(arith::ConstantOp op,
                                      const Environment &) {
  if (auto elements = dyn_cast<ElementsAttr>(op.getValue()))
    return evaluateElements(op, elements);
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    return Tensor({}, {real.getValueAsDouble()});
  auto integer = cast<IntegerAttr>(op.getValue());
  // A true i1 is 1, not -1.
  bool isFlag = integer.getType().isInteger(1);
  return Tensor({}, {isFlag ? double(integer.getValue().getBoolValue())
                            : double(integer.getValue().getSExtValue())});
}

// Of indices, values are what they were.
static llvm::Expected<Value> evaluate(arith::IndexCastOp op,
                                      const Environment &values) {
  return values[op.getIn()];
}

// Indices are integers of 64 bits.
static Type elementType(mlir::Value value) {
  Type type = getElementTypeOrSelf(value);
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

// Any other op on tensors is the same op on each element.
static llvm::Expected<Value> evaluate(Operation *op,
                                      const Environment &values) {
  if (op->getNumResults() != 1)
    return fail(op, "the reference evaluator does not know this op");
  llvm::Expected<ScalarOp> function = ScalarOp::of(op);
  if (!function)
    return function.takeError();
  SmallVector<std::shared_ptr<const Tensor>> operands;
  SmallVector<Type> types;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(values.tensor(operand));
    types.push_back(elementType(operand));
    if (operands.back()->shape != operands.front()->shape)
      return fail(op, "expected operands of one shape, found " +
                          describe(operands.front()->shape) + " and " +
                          describe(operands.back()->shape));
  }
  Type type = elementType(op->getResult(0));
  Tensor result = Tensor::zeros(operands.front()->shape);
  SmallVector<Scalar, 4> elements(operands.size());
  for (size_t i = 0; i < result.data.size(); ++i) {
    for (size_t o = 0; o < operands.size(); ++o)
      elements[o] = getElement(*operands[o], types[o], i);
    setElement(result, type, i, function->valueOf(elements));
  }
  return result;
}

static Bounds boundOf(Operation *op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  Bounds bound(result.data.size(), std::numeric_limits<double>::infinity());
  llvm::Expected<ScalarOp> function = ScalarOp::of(op, errors.getRounding());
  if (!function) {
    llvm::consumeError(function.takeError());
    return bound;
  }
  SmallVector<std::shared_ptr<const Tensor>> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(values.tensor(operand));
  SmallVector<Scalar, 4> elements(operands.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    for (auto [o, operand] : llvm::enumerate(op->getOperands()))
      elements[o] = getElement(*operands[o], getElementTypeOrSelf(operand), i,
                               errors.at(operand, i));
    bound[i] = (*function)(elements).error;
  }
  return bound;
}

// Compiled code has it as it is.
static Bounds boundOf(arith::ConstantOp, const ErrorBounds &,
                      const Environment &, const Tensor &) {
  return {};
}

namespace {
/// Overflow is that of each element.
template <typename Op>
struct BoundedElements
    : ErrorBoundOpInterface::ExternalModel<BoundedElements<Op>, Op> {
  SmallVector<Bounds> boundErrors(Operation *op, const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    return {boundOf(cast<Op>(op), errors, values, *results[0].tensor())};
  }
};
} // namespace

template <typename... Ops> static void attachBoth(MLIRContext *context) {
  attach<Formula, Ops...>(context);
  attach<BoundedElements, Ops...>(context);
}

void registerElementwise(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachBoth<
#define GET_OP_LIST
#include "mlir/Dialect/Arith/IR/ArithOps.cpp.inc"
        >(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachBoth<
#define GET_OP_LIST
#include "mlir/Dialect/Math/IR/MathOps.cpp.inc"
        >(context);
  });
}

} // namespace heddle::reference
