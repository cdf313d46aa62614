// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches and calls. Numbers are tensors without dimensions.

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Evaluator.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::reference {

using Results = Evaluator::Results;

static Value makeNumber(double value) { return Tensor({}, {value}); }

static int64_t numberOf(const Environment &values, mlir::Value name) {
  return int64_t(values.tensor(name)->data[0]);
}

static void set(Environment &values, ValueRange names, ArrayRef<Value> list) {
  for (auto [name, value] : llvm::zip_equal(names, list))
    values.set(name, value);
}

static Results valuesOf(const Environment &values, ValueRange names) {
  return llvm::map_to_vector(names,
                             [&](mlir::Value name) { return values[name]; });
}

llvm::Expected<Results> Evaluator::run(scf::ForOp op, Environment &values) {
  int64_t last = numberOf(values, op.getUpperBound());
  int64_t step = numberOf(values, op.getStep());
  if (step < 1)
    return fail(op, "expected a positive step, found " + Twine(step));
  Results carried = valuesOf(values, op.getInitArgs());
  for (int64_t i = numberOf(values, op.getLowerBound()); i < last; i += step) {
    values.set(op.getInductionVar(), makeNumber(double(i)));
    set(values, op.getRegionIterArgs(), carried);
    llvm::Expected<Results> next = runBlock(*op.getBody(), values);
    if (!next)
      return next;
    carried = std::move(*next);
  }
  return carried;
}

llvm::Expected<Results> Evaluator::run(scf::WhileOp op, Environment &values) {
  Results carried = valuesOf(values, op.getInits());
  while (true) {
    set(values, op.getBeforeArguments(), carried);
    llvm::Expected<Results> before = runBlock(*op.getBeforeBody(), values);
    if (!before)
      return before;
    // The condition, and what it hands on.
    bool goesOn = before->front().tensor()->data[0] != 0;
    Results handedOn(llvm::drop_begin(*before));
    if (!goesOn)
      return handedOn;
    set(values, op.getAfterArguments(), handedOn);
    llvm::Expected<Results> after = runBlock(*op.getAfterBody(), values);
    if (!after)
      return after;
    carried = std::move(*after);
  }
}

llvm::Expected<Results> Evaluator::run(scf::IfOp op, Environment &values) {
  Region &region = numberOf(values, op.getCondition()) ? op.getThenRegion()
                                                       : op.getElseRegion();
  if (region.empty())
    return Results();
  return runBlock(region.front(), values);
}

llvm::Expected<Results> Evaluator::run(func::CallOp op, Environment &values) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  return runBody(callee, valuesOf(values, op.getOperands()),
                 values.allSymbols());
}

bool Evaluator::isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, func::CallOp>(op);
}

llvm::Expected<Results> Evaluator::runControlFlow(Operation *op,
                                                  Environment &values) {
  return llvm::TypeSwitch<Operation *, llvm::Expected<Results>>(op)
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp, func::CallOp>(
          [&](auto op) { return run(op, values); })
      .Default([](Operation *op) -> llvm::Expected<Results> {
        return fail(op, "the reference evaluator does not know this op");
      });
}

llvm::Expected<Value> evaluate(tensor::ExtractOp op,
                               const Environment &values) {
  auto tensor = values.tensor(op.getTensor());
  int64_t place = 0;
  for (auto [index, extent] : llvm::zip_equal(op.getIndices(), tensor->shape)) {
    int64_t value = numberOf(values, index);
    if (value < 0 || value >= extent)
      return fail(op, "expected an index from 0 to " + Twine(extent - 1) +
                          ", found " + Twine(value));
    place = place * extent + value;
  }
  return makeNumber(tensor->data[place]);
}

} // namespace heddle::reference
