// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/FusionPlan.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static bool isReturned(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

bool heddle::isBarrier(Operation *op) {
  return (op->getNumRegions() > 0 && !isa<GenericOp>(op)) ||
         isa<tensor::ExtractOp>(op);
}

static bool isNumber(Type type) { return type.isIntOrIndexOrFloat(); }

FusionRole heddle::fusionRole(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return FusionRole::Terminator;
  if (isBarrier(op) ||
      (op->getNumResults() > 0 && llvm::all_of(op->getResultTypes(), isNumber)))
    return FusionRole::Control;
  if (isa<WeightRefOp, RotaryTableOp>(op))
    return FusionRole::Constant;
  if (isa<CausalMaskOp, LengthsMaskOp, AndMaskOp, OrMaskOp, NotMaskOp,
          CacheReadOp>(op))
    return FusionRole::View;
  // A view that leaves the function needs a kernel to write it.
  if (isa<LastTokenOp>(op))
    return isReturned(op) ? FusionRole::Root : FusionRole::View;
  if (isa<RMSNormOp>(op))
    return FusionRole::Prologue;
  if (isa<LinearOp, AttentionOp, EmbeddingOp, GenericOp>(op))
    return FusionRole::Root;
  // Sums of starts and lengths are recomputed by whoever reads them.
  if (op->getNumResults() == 1 &&
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32))
    return FusionRole::View;
  return FusionRole::Epilogue;
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
  decisions.push_back({op, kernel, std::move(reason)});
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

// The last kernel that reads what `op` replaces: the same layer of the cache,
// in the values since the append before.
std::optional<unsigned> FusionPlan::lastReader(CacheAppendOp op) const {
  std::optional<unsigned> last;
  for (Value cache = op.getCache(); cache;) {
    for (Operation *user : cache.getUsers()) {
      auto read = dyn_cast<CacheReadOp>(user);
      if (!read || read.getLayer() != op.getLayer())
        continue;
      for (Operation *reader : read->getUsers())
        last = std::max(last, kernelOf(reader));
    }
    auto before = cache.getDefiningOp<CacheAppendOp>();
    cache = before && before.getLayer() != op.getLayer() ? before.getCache()
                                                         : Value();
  }
  return last;
}

// A normalisation joins the contractions that read it when nothing else does;
// contractions that read one value form one kernel.
void FusionPlan::placeContraction(LinearOp op) {
  Operation *producer = op.getInput().getDefiningOp();
  for (Operation *sibling : op.getInput().getUsers()) {
    std::optional<unsigned> kernel = kernelOf(sibling);
    if (sibling == op || !kernel || *kernel < closed ||
        !isa<LinearOp>(sibling) ||
        cast<LinearOp>(sibling).getInput() != op.getInput())
      continue;
    return join(op, *kernel, "reads the input of another contraction");
  }
  if (!producer || fusionRole(producer) != FusionRole::Prologue ||
      producer->getBlock() != op->getBlock() || kernelOf(producer)) {
    start(op, producer && kernelOf(producer)
                  ? "a contraction needs all channels of its input first"
                  : "root");
    return;
  }
  unsigned kernel = start(producer, "prologue of contractions");
  join(op, kernel, "root");
}

// Joins the kernel of its producers if that computes the same rows.
void FusionPlan::placeGeneric(GenericOp op) {
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
      group->second.accepts(op))
    return join(op, *kernel, "computes rows of what it reads");
  rowGroups.try_emplace(start(op, "root"), op);
}

void FusionPlan::placeEpilogue(Operation *op) {
  std::optional<unsigned> kernel;
  for (Value operand : op->getOperands())
    kernel = std::max(kernel, lastProducer(operand));
  if (!kernel) {
    start(op, "no producer to join");
    return;
  }
  bool producesOperand = llvm::any_of(op->getOperands(), [&](Value operand) {
    return operand.getDefiningOp() &&
           kernelOf(operand.getDefiningOp()) == kernel;
  });
  if (*kernel < closed) {
    start(op, "control flow comes after its producer");
    return;
  }
  if (!producesOperand) {
    start(op, "reads a view of its producer, which must be complete");
    return;
  }
  if (llvm::any_of(kernels[*kernel], [](Operation *member) {
        return isa<AttentionOp, GenericOp>(member);
      })) {
    start(op, "kernels of attention and of heddle.generic take no epilogue");
    return;
  }
  if (auto append = dyn_cast<CacheAppendOp>(op)) {
    // A launch works on one layer of one cache, of which it has one value.
    if (llvm::any_of(kernels[*kernel], llvm::IsaPred<CacheAppendOp>)) {
      start(op, "its producer's kernel appends to a cache already");
      return;
    }
    if (lastReader(append) > kernel) {
      start(op, "the cache is read before it is appended to");
      return;
    }
  }
  join(op, *kernel, "epilogue");
}

FusionPlan FusionPlan::of(Block &body) {
  FusionPlan plan;
  for (Operation &op : body) {
    switch (fusionRole(&op)) {
    case FusionRole::Constant:
      plan.decisions.push_back(
          {&op, std::nullopt,
           "a constant, handed to the kernels that read it"});
      break;
    case FusionRole::View:
      plan.decisions.push_back(
          {&op, std::nullopt, "a view, cloned into each kernel that reads it"});
      break;
    case FusionRole::Control:
      if (isBarrier(&op))
        plan.closed = plan.kernels.size();
      plan.decisions.push_back(
          {&op, std::nullopt, "control flow, which stays between kernels"});
      break;
    case FusionRole::Terminator:
      break;
    case FusionRole::Prologue: {
      bool onlyContractions =
          !op.use_empty() && llvm::all_of(op.getUsers(), [&](Operation *user) {
            auto linear = dyn_cast<LinearOp>(user);
            return linear && linear.getInput() == op.getResult(0) &&
                   linear->getBlock() == &body;
          });
      // Otherwise its first contraction takes it along.
      if (!onlyContractions)
        plan.start(&op, "its result is used by other than contractions");
      break;
    }
    case FusionRole::Root:
      if (auto linear = dyn_cast<LinearOp>(&op))
        plan.placeContraction(linear);
      else if (auto generic = dyn_cast<GenericOp>(&op))
        plan.placeGeneric(generic);
      else
        plan.start(&op, "root");
      break;
    case FusionRole::Epilogue:
      plan.placeEpilogue(&op);
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
