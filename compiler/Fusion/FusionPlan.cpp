// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/FusionPlan.h"

#include "compiler/Fusion/Contraction.h"
#include "compiler/Prepare/Views.h"

using namespace mlir;
using namespace heddle;

static bool givesNumbers(Operation *op) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), isNumber);
}

bool heddle::isBarrier(Operation *op) {
  auto known = dyn_cast<FusionOpInterface>(op);
  bool isControl = known ? known.getFusionRole() == FusionRole::Control
                         : op->getNumRegions() > 0 || givesNumbers(op);
  bool readsTensors =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  return isControl && (readsTensors || op->getNumRegions() > 0);
}

FusionRole heddle::fusionRole(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return FusionRole::Terminator;
  if (auto known = dyn_cast<FusionOpInterface>(op))
    return known.getFusionRole();
  return isBarrier(op) || givesNumbers(op) ? FusionRole::Control
                                           : FusionRole::Root;
}

bool heddle::isClonedView(Operation *op) {
  auto generic = dyn_cast<GenericOp>(op);
  return generic ? isOperandView(generic) : fusionRole(op) == FusionRole::View;
}

static size_t countScalarOps(GenericOp op) {
  return op.getBody().front().getOperations().size();
}

unsigned FusionPlan::start(Operation *op, std::string reason) {
  kernels.emplace_back();
  unsigned kernel = kernels.size() - 1;
  join(op, kernel, std::move(reason));
  return kernel;
}

void FusionPlan::join(Operation *op, unsigned kernel, std::string reason) {
  kernels[kernel].push_back(op);
  assignment[op] = kernel;
  if (auto generic = dyn_cast<GenericOp>(op))
    scalarOps[kernel] += countScalarOps(generic);
  decisions.push_back({op, kernel, std::move(reason)});
}

// Halide looks at each expression once for each one that it is a part of: it
// takes 1.4 s for a chain of 250 additions, and half a minute for 1000.
bool FusionPlan::hasRoom(unsigned kernel, GenericOp op) const {
  constexpr size_t most = 512; // a yield beside each addition
  return scalarOps.lookup(kernel) + countScalarOps(op) <= most;
}

// The last kernel, in launch order, that `value` depends on.
std::optional<unsigned> FusionPlan::lastProducer(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return std::nullopt;
  if (std::optional<unsigned> kernel = kernelOf(producer))
    return kernel;
  auto known = lastProducers.find(producer);
  if (known != lastProducers.end())
    return known->second;
  std::optional<unsigned> last;
  for (Value operand : producer->getOperands())
    last = std::max(last, lastProducer(operand));
  return lastProducers[producer] = last;
}

// The kernel of a contraction of equal extents, where an op reads both: tiles
// of the two are computed one after the other, and neither goes to memory.
std::optional<unsigned> FusionPlan::findSibling(GenericOp op) {
  if (!Contraction::of(op))
    return std::nullopt;
  for (Operation *user : op->getUsers()) {
    auto reader = dyn_cast<GenericOp>(user);
    if (!reader || reader.hasReduction() ||
        reader->getBlock() != op->getBlock())
      continue;
    for (Value operand : reader.getInputs()) {
      Operation *sibling = operand.getDefiningOp();
      if (!sibling || sibling == op)
        continue;
      std::optional<unsigned> kernel = kernelOf(sibling);
      if (!kernel || *kernel < closed)
        continue;
      auto isReady = [&](Value value) { return lastProducer(value) < kernel; };
      auto group = rowGroups.find(*kernel);
      if (group != rowGroups.end() &&
          llvm::all_of(op->getOperands(), isReady) && hasRoom(*kernel, op) &&
          group->second.accepts(op))
        return kernel;
    }
  }
  return std::nullopt;
}

// Joins the kernel of its producers if that computes the same rows.
void FusionPlan::placeGeneric(GenericOp op) {
  if (std::optional<unsigned> sibling = findSibling(op))
    return join(op, *sibling, "is read together with another contraction");
  std::optional<unsigned> kernel;
  for (Value operand : op->getOperands())
    kernel = std::max(kernel, lastProducer(operand));
  auto isReady = [&](Value operand) {
    return lastProducer(operand) != kernel ||
           kernelOf(operand.getDefiningOp()) == kernel;
  };
  auto group =
      kernel && *kernel >= closed ? rowGroups.find(*kernel) : rowGroups.end();
  if (group != rowGroups.end() && llvm::all_of(op->getOperands(), isReady) &&
      hasRoom(*kernel, op) && group->second.accepts(op))
    return join(op, *kernel, "computes rows of what it reads");
  rowGroups.try_emplace(start(op, "root"), op);
}

FusionPlan FusionPlan::of(Block &body) {
  FusionPlan plan;
  for (Operation &op : body) {
    if (isClonedView(&op)) {
      plan.decisions.push_back(
          {&op, std::nullopt, "a view, cloned into each kernel that reads it"});
      continue;
    }
    switch (fusionRole(&op)) {
    case FusionRole::Constant:
      plan.decisions.push_back(
          {&op, std::nullopt,
           "a constant, handed to the kernels that read it"});
      break;
    case FusionRole::Control:
      if (isBarrier(&op))
        plan.closed = plan.kernels.size();
      plan.decisions.push_back(
          {&op, std::nullopt, "control flow, which stays between kernels"});
      break;
    case FusionRole::View:
    case FusionRole::Terminator:
      break;
    case FusionRole::Root:
      if (auto generic = dyn_cast<GenericOp>(&op))
        plan.placeGeneric(generic);
      else
        plan.start(&op, "root");
      break;
    }
  }
  // Members in the order of the function, which is one of dependence.
  for (auto &kernel : plan.kernels)
    llvm::sort(kernel, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
  return plan;
}
