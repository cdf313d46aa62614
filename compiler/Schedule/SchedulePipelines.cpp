// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Passes.h"
#include "compiler/Schedule/Scheduler.h"

namespace heddle {
#define GEN_PASS_DEF_SCHEDULEPIPELINES
#include "compiler/Schedule/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The strategy for a stored func follows from what is computed inside it.
static void scheduleOutput(Scheduler &s, halide::OutputOp output) {
  if (s.machine.device)
    return scheduleOnDevice(s, output);
  halide::FuncOp func = s.func(output.getFunc());
  if (func.getReduction() == halide::Reduction::Scatter)
    return scheduleScatter(s, output);
  if (func.getReduction() == halide::Reduction::Attention)
    return scheduleAttention(s, output);
  SmallVector<halide::FuncOp> insides = s.computedInside(func);
  // The first that is found is nearest to the output.
  for (halide::FuncOp inside : insides)
    if (inside->hasAttr(kTileAttr))
      return scheduleProduct(s, output, inside);
  scheduleGeneric(s, output);
}

namespace {
struct SchedulePipelines
    : heddle::impl::SchedulePipelinesBase<SchedulePipelines> {
  using SchedulePipelinesBase::SchedulePipelinesBase;

  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    WalkResult result =
        getOperation().walk([&](halide::PipelineOp pipeline) -> WalkResult {
          if (!pipeline->hasAttr(kConfigurationAttr))
            return pipeline.emitOpError("expected the attribute ")
                   << kConfigurationAttr << ", which its kernel has";
          Scheduler scheduler(pipeline, *machine);
          for (halide::OutputOp output : scheduler.outputs())
            scheduleOutput(scheduler, output);
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
