// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Passes.h"
#include "compiler/Support/ModuleFile.h"

#include "llvm/ADT/StringMap.h"

namespace heddle {
#define GEN_PASS_DEF_OVERRIDESCHEDULES
#include "compiler/Schedule/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Directives that say what Halide cannot see for itself: tails other than
// guard_with_if need a loop of at least `factor` steps, or room behind it.
static bool isPromise(Operation &directive) {
  if (isa<halide::BoundOp, halide::BoundExtentOp>(directive))
    return true;
  auto tail = directive.getAttrOfType<halide::TailAttr>("tail");
  bool isSplit = directive.hasAttr("factor") || directive.hasAttr("factors");
  return tail && isSplit && tail.getValue() != halide::Tail::GuardWithIf;
}

// A schedule as a list: regions come after the ops that have them.
static SmallVector<Operation *> directivesOf(halide::ScheduleOp schedule) {
  SmallVector<Operation *> directives;
  schedule.walk<WalkOrder::PreOrder>(
      [&](Operation *directive) { directives.push_back(directive); });
  return directives;
}

static bool areEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(
      a, b, OperationEquivalence::IgnoreLocations);
}

static bool areEqual(halide::ScheduleOp a, halide::ScheduleOp b) {
  return llvm::equal(ArrayRef(directivesOf(a)).drop_front(),
                     ArrayRef(directivesOf(b)).drop_front(),
                     [](Operation *a, Operation *b) { return areEqual(a, b); });
}

namespace {
struct OverrideSchedules
    : heddle::impl::OverrideSchedulesBase<OverrideSchedules> {
  using OverrideSchedulesBase::OverrideSchedulesBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> source = parseModuleFile(file, &getContext());
    if (!source)
      return signalPassFailure();
    if (failed(findSchedules(*source)))
      return signalPassFailure();
    getOperation().walk([&](halide::PipelineOp pipeline) {
      pipelines[pipeline.getSymName()] = pipeline;
    });
    for (halide::ScheduleOp schedule : schedules)
      if (failed(replace(schedule)))
        return signalPassFailure();
  }

  // Configurations are read by earlier passes; what is neither would be read
  // and forgotten.
  LogicalResult findSchedules(ModuleOp source) {
    bool isEmpty = true;
    WalkResult result =
        source.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          if (isa<ModuleOp>(op))
            return WalkResult::advance();
          isEmpty = false;
          if (auto schedule = dyn_cast<halide::ScheduleOp>(op))
            schedules.push_back(schedule);
          else if (!isa<ConfigureOp>(op))
            return op->emitOpError(
                "expected halide.schedule or heddle.configure");
          return WalkResult::skip();
        });
    if (result.wasInterrupted())
      return failure();
    if (isEmpty)
      return source.emitError(
          "expected halide.schedule or heddle.configure ops, found none");
    return success();
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
    if (failed(checkStraightCode(schedule)))
      return failure();
    Block &body = found->second.getBody().front();
    for (auto old :
         llvm::make_early_inc_range(body.getOps<halide::ScheduleOp>())) {
      checkPromises(found->second, schedule, old);
      old.erase();
    }
    OpBuilder builder = OpBuilder::atBlockEnd(&body);
    auto copy = cast<halide::ScheduleOp>(builder.clone(*schedule));
    copy.removePipelineAttr();
    return success();
  }

  // Whether a promise holds depends on all directives around it, so that those
  // of a schedule that is not the compiler's own are all checked.
  static void checkPromises(halide::PipelineOp pipeline,
                            halide::ScheduleOp schedule,
                            halide::ScheduleOp own) {
    if (areEqual(schedule, own))
      return;
    SmallVector<Operation *> known = directivesOf(own);
    for (Operation *directive : directivesOf(schedule)) {
      if (isPromise(*directive))
        pipeline->setAttr(kCheckedAttr, UnitAttr::get(pipeline.getContext()));
      bool isOwn = llvm::any_of(
          known, [&](Operation *other) { return areEqual(directive, other); });
      if (isa<halide::AllowRaceConditionsOp>(directive) && !isOwn)
        directive->emitWarning(
            "nothing checks that the steps of this loop write different "
            "elements; where they do not, answers are wrong: --verify compares "
            "the answers with the reference");
    }
  }

  SmallVector<halide::ScheduleOp> schedules;
  llvm::StringMap<halide::PipelineOp> pipelines;
  llvm::StringMap<halide::ScheduleOp> replaced;
};
} // namespace
