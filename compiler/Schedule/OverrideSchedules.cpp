// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Schedule/Passes.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {
#define GEN_PASS_DEF_OVERRIDESCHEDULES
#include "compiler/Schedule/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct OverrideSchedules
    : heddle::impl::OverrideSchedulesBase<OverrideSchedules> {
  using OverrideSchedulesBase::OverrideSchedulesBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> source =
        parseSourceFile<ModuleOp>(file, &getContext());
    if (!source)
      return signalPassFailure();
    llvm::StringMap<halide::PipelineOp> pipelines;
    getOperation().walk([&](halide::PipelineOp pipeline) {
      pipelines[pipeline.getSymName()] = pipeline;
    });
    for (auto schedule : source->getOps<halide::ScheduleOp>()) {
      if (failed(replace(schedule, pipelines)))
        return signalPassFailure();
    }
  }

  LogicalResult replace(halide::ScheduleOp schedule,
                        llvm::StringMap<halide::PipelineOp> &pipelines) {
    if (!schedule.getPipeline())
      return schedule.emitError("expected the name of the pipeline whose "
                                "schedule this replaces");
    auto found = pipelines.find(*schedule.getPipeline());
    if (found == pipelines.end())
      return schedule.emitError("no pipeline is named ")
             << schedule.getPipelineAttr();
    Block &body = found->second.getBody().front();
    for (auto old :
         llvm::make_early_inc_range(body.getOps<halide::ScheduleOp>()))
      old.erase();
    OpBuilder builder = OpBuilder::atBlockEnd(&body);
    auto copy = cast<halide::ScheduleOp>(builder.clone(*schedule));
    copy.removePipelineAttr();
    return success();
  }
};
} // namespace
