// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic: point by point, but for products with weights.

#include "compiler/Reference/EvaluateGeneric.h"
#include "compiler/Reference/LinearForm.h"

using namespace mlir;

namespace heddle::reference {

static llvm::Expected<Results> evaluate(GenericOp op,
                                        const Environment &values) {
  if (auto form = LinearForm::of(op))
    return Results{linear(*values.tensor(op.getInputs()[form->x]),
                          values[op.getInputs()[form->w]], nullptr)};
  std::vector<TensorWithErrors> operands;
  for (mlir::Value operand : op.getOperands())
    operands.push_back({values[operand], {}});
  auto evaluated = evaluateGeneric(op, operands, values, std::nullopt);
  if (!evaluated)
    return evaluated.takeError();
  Results results;
  for (TensorWithErrors &result : *evaluated)
    results.push_back(std::move(result.values));
  return results;
}

namespace {
struct BoundedGeneric
    : ErrorBoundOpInterface::ExternalModel<BoundedGeneric, GenericOp> {
  SmallVector<Bounds> boundErrors(Operation *generic, const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    auto op = cast<GenericOp>(generic);
    if (auto form = LinearForm::of(op)) {
      mlir::Value x = op.getInputs()[form->x], w = op.getInputs()[form->w];
      return {linearBounds(*values.tensor(x), errors.of(x), values[w], nullptr,
                           *results[0].tensor())};
    }
    std::vector<TensorWithErrors> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back({values[operand], errors.of(operand).vec()});
    auto evaluated =
        evaluateGeneric(op, operands, values, errors.getRounding());
    if (!evaluated) { // The evaluator has reported it.
      llvm::consumeError(evaluated.takeError());
      return unknownBounds(results);
    }
    SmallVector<Bounds> bounds;
    for (TensorWithErrors &result : *evaluated)
      bounds.push_back(std::move(result.errors));
    return bounds;
  }
};
} // namespace

void registerGeneric(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, GenericOp>(context);
    GenericOp::attachInterface<BoundedGeneric>(*context);
  });
}

} // namespace heddle::reference
