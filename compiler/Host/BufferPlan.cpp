// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/BufferPlan.h"

#include "compiler/Host/InsertInPlace.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

BufferPlan::BufferPlan(func::FuncOp function, const EntryPlan &entry,
                       SizeAttr readPastEmpty)
    : readPastEmpty(readPastEmpty), liveness(function),
      workspace(function.getContext()) {
  findOutputs(function, entry);
  function.walk([&](Operation *op) {
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      findHandedOn(op);
  });
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto insert = dyn_cast<InsertOp>(op);
    if (isa<LaunchOp, FromNumberOp, tensor::EmptyOp>(op) ||
        (insert && !isInPlace(insert)))
      placeValues(op);
    else if (isa<scf::ForOp, scf::WhileOp>(op))
      placeLoop(op);
    else if (isa<scf::IfOp>(op))
      placeResults(op);
  });
  workspace.finish();
  bytes = workspace.bytes();
  if (readPastEmpty)
    bytes = bytes + roundUp(readPastEmpty, HEDDLE_ALIGNMENT);
}

std::optional<unsigned> BufferPlan::outputOf(Value value) const {
  auto found = outputs.find(value);
  return found == outputs.end() ? std::nullopt : std::optional(found->second);
}

// A launch writes the first output that its result is returned as.
void BufferPlan::findOutputs(func::FuncOp function, const EntryPlan &entry) {
  Operation *terminator = function.front().getTerminator();
  for (auto [index, argument] : llvm::enumerate(entry.arguments))
    if (argument.kind == HEDDLE_ARGUMENT_OUTPUT)
      outputs.try_emplace(terminator->getOperand(argument.result), index);
}

// What a launch of the same block computes and hands on, it writes to where
// that goes, the first time.
void BufferPlan::findHandedOn(Operation *terminator) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto launch = operand.get().getDefiningOp<LaunchOp>();
    if (isInMemory(operand.get()) && launch &&
        launch->getBlock() == terminator->getBlock() &&
        writtenInPlace.insert(operand.get()).second)
      inPlace.insert(&operand);
  }
}

Workspace::Buffer BufferPlan::allocate(Value value, unsigned first,
                                       unsigned last) {
  auto type = cast<RankedTensorType>(value.getType());
  return workspace.allocate(product(type.getContext(), sizesOf(type)),
                            bytesOfElement(type.getElementType()), first, last);
}

Workspace::Buffer BufferPlan::allocateFor(Operation *controlFlow, Value value) {
  unsigned last = liveness.end(controlFlow);
  for (Value result : controlFlow->getResults())
    last = std::max(last, liveness.lastUse(result));
  return allocate(value, liveness.begin(controlFlow), last);
}

void BufferPlan::placeLoop(Operation *loop) {
  unsigned index = 0;
  auto add = [&](ValueRange values) {
    for (Value value : llvm::make_filter_range(values, isInMemory))
      slots[{loop, index++}] = allocateFor(loop, value);
  };
  add(loop->getOperands());
  if (auto two = dyn_cast<scf::WhileOp>(loop))
    return add(two.getConditionOp().getArgs());
  ValueRange arguments = cast<scf::ForOp>(loop).getRegionIterArgs();
  // What is written in place has no other memory.
  for (auto [number, argument] :
       llvm::enumerate(llvm::make_filter_range(arguments, isInMemory)))
    slots[{loop, index++}] = isInsertedInto(argument)
                                 ? slots.at({loop, number})
                                 : allocateFor(loop, argument);
}

void BufferPlan::placeResults(Operation *op) {
  for (Value result : llvm::make_filter_range(op->getResults(), isInMemory))
    if (!outputs.contains(result))
      values[result] = allocateFor(op, result);
}

void BufferPlan::placeValues(Operation *op) {
  for (Value result : llvm::make_filter_range(op->getResults(), isInMemory))
    if (!outputs.contains(result) && !writtenInPlace.contains(result))
      values[result] =
          allocate(result, liveness.begin(op), liveness.lastUse(result));
}
