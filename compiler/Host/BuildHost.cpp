// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @f of heddle.launch on tensors
//   -> module @heddle.host { signatures, func @f.run, func @f.measure }

#include "compiler/Host/Bounds.h"
#include "compiler/Host/EmitEntry.h"
#include "compiler/Host/EmitMeasure.h"
#include "compiler/Host/Passes.h"
#include "compiler/Lowering/Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_BUILDHOST
#include "compiler/Host/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct BuildHost : heddle::impl::BuildHostBase<BuildHost> {
  using BuildHostBase::BuildHostBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto host = ModuleOp::create(b, module.getLoc(), kHostModule);
    if (isForDevice(module))
      host->setAttr(kTargetAttr, module->getAttr(kTargetAttr));
    b.setInsertionPointToEnd(host.getBody());
    KernelSignatures signatures;
    auto pipelines = module.lookupSymbol<ModuleOp>(kPipelinesModule);
    for (auto pipeline : pipelines.getOps<halide::PipelineOp>()) {
      auto signature = KernelSignature::of(pipeline);
      SignatureOp::create(b, pipeline.getLoc(), pipeline.getSymName(),
                          b.getTypeArrayAttr(signature.types(b.getContext())));
      signatures[pipeline.getSymName()] = std::move(signature);
    }
    WeightPlan weights = WeightPlan::of(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(build(b, function, weights, signatures)))
        return signalPassFailure();
    // Sizes have products in common.
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createCSEPass());
    if (failed(runPipeline(passes, host)))
      signalPassFailure();
  }

  LogicalResult build(OpBuilder &b, func::FuncOp function,
                      const WeightPlan &weights,
                      const KernelSignatures &signatures) {
    EntryPlan entry = planEntry(function);
    SymbolTable symbols(getOperation());
    Bounds bounds(function, entry);
    if (failed(bounds.addCounts()))
      return failure();
    WalkResult result = function.walk([&](Operation *op) {
      if (auto extract = dyn_cast<tensor::ExtractOp>(op))
        return WalkResult(bounds.add(extract));
      auto launch = dyn_cast<LaunchOp>(op);
      if (!launch)
        return WalkResult::advance();
      return WalkResult(bounds.add(symbols.lookup<KernelOp>(launch.getKernel()),
                                   signatures.at(launch.getKernel())));
    });
    if (result.wasInterrupted())
      return failure();
    BufferPlan plan(function, entry, bounds.readPastEmpty());
    emitEntry(b, function, entry, weights, signatures, plan);
    emitMeasure(b, function.getLoc(), entry, plan.workspaceBytes(),
                bounds.bounds());
    return success();
  }
};
} // namespace
