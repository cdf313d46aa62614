// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.kernel @f  ->  heddle.kernel @f
//                       halide.pipeline @f in module @heddle.pipelines

#include "compiler/Fusion/RowGroup.h"
#include "compiler/Lowering/CheckKernel.h"
#include "compiler/Lowering/LoweringInterface.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Prepare/Views.h"

#include "compiler/Lowering/LoweringInterfaces.cpp.inc"

namespace heddle {
#define GEN_PASS_DEF_LOWERKERNELS
#include "compiler/Lowering/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

void heddle::registerLowerings(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    registerAttentionLowering(context);
    registerCacheLowerings(context);
    registerGenericLowering(context);
    registerFormulaMaskLowerings(context);
    registerPositionMaskLowerings(context);
    registerTensorMaskLowerings(context);
  });
}

static LogicalResult lowerOp(KernelBuilder &k, Operation *op) {
  auto known = dyn_cast<LoweringOpInterface>(op);
  if (!known)
    return op->emitOpError("cannot be compiled; expected heddle.attention, "
                           "heddle.cache.append or heddle.generic");
  known.lower(k);
  return success();
}

// Tells the scheduler which variables of a group of heddle.generic are rows.
static void markRows(KernelBuilder &k) {
  std::optional<RowGroup> group;
  SmallVector<GenericOp> ops = llvm::to_vector(
      llvm::make_filter_range(k.kernel.getBody().getOps<GenericOp>(),
                              [](GenericOp op) { return !isOperandView(op); }));
  for (GenericOp op : ops)
    if (!group)
      group.emplace(op);
    else
      group->accepts(op);
  for (GenericOp op : ops)
    for (Value result : op.getResults()) {
      if (result.use_empty())
        continue;
      auto func =
          k.pipeline.lookupSymbol<halide::FuncOp>(k.field(result).symbol);
      SmallVector<Attribute> rows;
      for (unsigned dimension : group->rowDimensions(op))
        rows.push_back(func.getVars()[func.getRank() - 1 - dimension]);
      ArrayAttr attribute = k.builder.getArrayAttr(rows);
      func->setAttr(kRowsAttr, attribute);
      // What a reduction sums up in has the same variables.
      if (op.hasReduction())
        for (auto access : func.getBody().getOps<halide::AccessOp>())
          k.pipeline.lookupSymbol(access.getSource())
              ->setAttr(kRowsAttr, attribute);
      if (!op.hasReduction() && group->isKept(op))
        func->setAttr(kKeptAttr, k.builder.getUnitAttr());
    }
}

static LogicalResult lowerKernel(KernelOp kernel, halide::PipelineOp pipeline) {
  if (failed(checkKernel(kernel)))
    return failure();
  KernelBuilder k(kernel, pipeline);
  pipeline->setAttr(kConfigurationAttr, k.configuration);
  for (BlockArgument argument : kernel.getArguments())
    lowerInput(k, argument);
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (failed(lowerOp(k, &op)))
      return failure();
  for (OpOperand &result : yield->getOpOperands())
    lowerResult(k, result.get(), result.getOperandNumber());
  markRows(k);
  chooseForms(k);
  return success();
}

namespace {
struct LowerKernels : heddle::impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    // Kernels and pipelines have the same names, so pipelines get a module.
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto pipelines =
        ModuleOp::create(builder, getOperation().getLoc(), kPipelinesModule);
    builder.setInsertionPointToEnd(pipelines.getBody());
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      auto pipeline = halide::PipelineOp::create(builder, kernel.getLoc(),
                                                 kernel.getSymName());
      pipeline.getBody().emplaceBlock();
      if (failed(lowerKernel(kernel, pipeline)))
        return signalPassFailure();
    }
  }
};
} // namespace
