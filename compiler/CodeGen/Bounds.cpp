// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Bounds.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

namespace {

class BoundsPlanner {
public:
  BoundsPlanner(func::FuncOp function, SymbolTable &kernels, EntryPlan &entry)
      : function(function), kernels(kernels), entry(entry) {}

  LogicalResult run() {
    for (auto [launch, plan] :
         llvm::zip(function.front().getOps<LaunchOp>(), entry.launches))
      if (failed(addCounts(plan)) || failed(addTasks(launch)))
        return failure();
    return success();
  }

private:
  // Parameters, which are row counts and extents, and the strides that follow.
  LogicalResult addCounts(LaunchPlan &plan) {
    llvm::DenseMap<Value, SizeExpr> params;
    unsigned nextParam = 0;
    for (Operation &op : plan.pipeline.getBody().front()) {
      LogicalResult result = success();
      if (auto param = dyn_cast<halide::ParamOp>(op))
        result = add(params[param.getResult()] = plan.params[nextParam++]);
      else if (auto input = dyn_cast<halide::InputOp>(op))
        result = addStrides(input, params);
      else if (auto output = dyn_cast<halide::OutputOp>(op))
        result = addStrides(output, params);
      if (failed(result))
        return failure();
    }
    return success();
  }

  // As kernels are given them (EmitRun.cpp): a stride of 0 is dense. Elements
  // are indexed with 64 bits, so that the last stride is the largest number.
  template <typename Op>
  LogicalResult addStrides(Op op,
                           const llvm::DenseMap<Value, SizeExpr> &params) {
    SizeExpr dense;
    unsigned nextDynamic = 0;
    for (auto [index, fixed] : llvm::enumerate(op.getStaticExtents())) {
      SizeExpr stride = dense;
      if (op.getStrides() && (*op.getStrides())[index]) {
        stride = SizeExpr();
        stride.scale((*op.getStrides())[index]);
      }
      if (failed(add(stride)))
        return failure();
      dense = stride;
      llvm::APInt constant;
      if (!ShapedType::isDynamic(fixed)) {
        dense.scale(fixed);
        continue;
      }
      Value extent = op.getExtents()[nextDynamic++];
      if (matchPattern(extent, m_ConstantInt(&constant))) {
        dense.scale(constant.getSExtValue());
        continue;
      }
      const SizeExpr &size = params.at(extent);
      dense.scale(size.factor);
      dense.scale(size.multiplier);
      dense.divisor *= size.divisor;
      dense.symbols.append(size.symbols);
    }
    return success();
  }

  // Attention counts its queries once for each head.
  LogicalResult addTasks(LaunchOp launch) {
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    for (auto attention : kernel.getBody().getOps<AttentionOp>()) {
      SizeExpr tasks = entry.parse(rowsOf(attention.getQuery().getType()));
      tasks.scale(attention.getHeads());
      if (failed(add(tasks)))
        return failure();
    }
    return success();
  }

  LogicalResult add(SizeExpr count) {
    // Bounds round capacities up to a multiple of what they are divided by.
    // Where something remains to divide by, the product without it is a little
    // too strict.
    count.scale(count.multiplier);
    count.multiplier = 1;
    int64_t common = std::gcd(count.factor, count.divisor);
    count.factor /= common;
    count.divisor = 1;
    if (count.factor > kLargestCount)
      return function.emitError("expected counts of rows, extents and strides "
                                "of at most ")
             << kLargestCount << ", found at least " << count.factor;
    llvm::sort(count.symbols);
    SizeExpr largest = count;
    for (unsigned symbol : count.symbols)
      largest.scale(
          llvm::alignTo(entry.symbols[symbol].maximum, HEDDLE_CACHE_BLOCK));
    bool isKnown = llvm::any_of(entry.bounds, [&](const SizeExpr &known) {
      return known.symbols == count.symbols && known.factor >= count.factor;
    });
    if (largest.factor > kLargestCount && !isKnown)
      entry.bounds.push_back(count);
    return success();
  }

  func::FuncOp function;
  SymbolTable &kernels;
  EntryPlan &entry;
};

} // namespace

LogicalResult heddle::planBounds(func::FuncOp function, SymbolTable &kernels,
                                 EntryPlan &entry) {
  return BoundsPlanner(function, kernels, entry).run();
}
