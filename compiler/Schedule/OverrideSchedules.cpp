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

// Directives that say what Halide cannot see for itself. Where one is wrong, so
// are the answers.
static bool isPromise(Operation *directive) {
  auto tail = directive->getAttrOfType<halide::TailAttr>("tail");
  return isa<halide::BoundOp, halide::BoundExtentOp,
             halide::AllowRaceConditionsOp>(directive) ||
         (tail && tail.getValue() == halide::Tail::RoundUp);
}

static bool areEqual(halide::ScheduleOp a, halide::ScheduleOp b) {
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {
struct OverrideSchedules
    : heddle::impl::OverrideSchedulesBase<OverrideSchedules> {
  using OverrideSchedulesBase::OverrideSchedulesBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> source =
        parseSourceFile<ModuleOp>(file, &getContext());
    if (!source)
      return signalPassFailure();
    SmallVector<halide::ScheduleOp> schedules;
    source->walk(
        [&](halide::ScheduleOp schedule) { schedules.push_back(schedule); });
    if (schedules.empty()) {
      source->emitError("expected halide.schedule ops, found none");
      return signalPassFailure();
    }
    getOperation().walk([&](halide::PipelineOp pipeline) {
      pipelines[pipeline.getSymName()] = pipeline;
    });
    for (halide::ScheduleOp schedule : schedules)
      if (failed(replace(schedule)))
        return signalPassFailure();
  }

  LogicalResult replace(halide::ScheduleOp schedule) {
    if (!schedule.getPipeline())
      return schedule.emitError("expected the name of the pipeline whose "
                                "schedule this replaces");
    StringRef name = *schedule.getPipeline();
    auto found = pipelines.find(name);
    if (found == pipelines.end())
      return schedule.emitError("no pipeline is named ")
             << schedule.getPipelineAttr();
    auto [earlier, isFirst] = replaced.try_emplace(name, schedule);
    if (!isFirst) {
      InFlightDiagnostic error = schedule.emitError("a second schedule of ")
                                 << schedule.getPipelineAttr();
      error.attachNote(earlier->second.getLoc()) << "the first one is here";
      return error;
    }
    Block &body = found->second.getBody().front();
    bool isOwn = false;
    for (auto old :
         llvm::make_early_inc_range(body.getOps<halide::ScheduleOp>())) {
      isOwn |= areEqual(old, schedule);
      old.erase();
    }
    if (!isOwn && !hasWarned)
      warnOfPromise(schedule);
    OpBuilder builder = OpBuilder::atBlockEnd(&body);
    auto copy = cast<halide::ScheduleOp>(builder.clone(*schedule));
    copy.removePipelineAttr();
    return success();
  }

  // Once: a file of schedules is full of promises.
  void warnOfPromise(halide::ScheduleOp schedule) {
    schedule.walk([&](Operation *directive) {
      if (!isPromise(directive))
        return WalkResult::advance();
      directive->emitWarning("not every promise of a schedule, such as this "
                             "one, can be checked when compiling: --verify "
                             "compares the answers with the reference");
      hasWarned = true;
      return WalkResult::interrupt();
    });
  }

  llvm::StringMap<halide::PipelineOp> pipelines;
  llvm::StringMap<halide::ScheduleOp> replaced;
  bool hasWarned = false;
};
} // namespace
