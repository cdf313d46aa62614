// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One schedule op -> one call of Halide.

#include "compiler/Translate/AlgorithmTranslation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using Halide::VarOrRVar;

namespace {

class ScheduleTranslator {
public:
  ScheduleTranslator(TranslatedPipeline &pipeline) : pipeline(pipeline) {}

  LogicalResult run(halide::ScheduleOp schedule) {
    for (Operation &op : schedule.getBody().front())
      if (failed(apply(&op)))
        return failure();
    return success();
  }

private:
  LogicalResult apply(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<halide::SplitOp, halide::FuseOp, halide::ReorderOp,
              halide::VectorizeOp, halide::UnrollOp, halide::ParallelOp,
              halide::AtomicOp, halide::AllowRaceConditionsOp,
              halide::ComputeAtOp, halide::StoreAtOp, halide::ComputeRootOp,
              halide::StoreInOp, halide::BoundOp, halide::BoundExtentOp,
              halide::PrefetchOp>([&](auto op) -> LogicalResult {
          auto func = pipeline.funcs.find(op.getFunc().str());
          if (func == pipeline.funcs.end())
            return op.emitOpError("no func is named ") << op.getFuncAttr();
          if (op.getUpdate() &&
              *op.getUpdate() >=
                  (uint64_t)func->second.num_update_definitions())
            return op.emitOpError("no update ")
                   << *op.getUpdate() << " of " << op.getFuncAttr();
          return directive(op, func->second);
        })
        .Default([](Operation *op) {
          return op->emitOpError("is not a scheduling directive");
        });
  }

  //===-- Lookups ---------------------------------------------------------===//

  template <typename Op> Halide::Stage stage(Op op, Halide::Func &func) {
    return op.getUpdate() ? func.update(*op.getUpdate()) : Halide::Stage(func);
  }

  // The loop of that name in the directive's stage; reports where there is
  // none.
  template <typename Op> FailureOr<VarOrRVar> var(Op op, StringRef name) {
    auto found = pipeline.vars.find(
        {stageKey(op.getFunc(), op.getUpdate()), name.str()});
    if (found == pipeline.vars.end())
      return op.emitOpError("@")
             << op.getFunc() << " has no loop named '" << name << "'";
    return found->second;
  }

  // A new loop, of the kind of the one that it comes from.
  template <typename Op> VarOrRVar fresh(Op op, StringRef name, bool isRVar) {
    VarOrRVar result(name.str(), isRVar);
    pipeline.vars.insert_or_assign(
        {stageKey(op.getFunc(), op.getUpdate()), name.str()}, result);
    return result;
  }

  static Halide::TailStrategy tail(halide::Tail tail) {
    switch (tail) {
    case halide::Tail::Auto:
      return Halide::TailStrategy::Auto;
    case halide::Tail::RoundUp:
      return Halide::TailStrategy::RoundUp;
    case halide::Tail::GuardWithIf:
      return Halide::TailStrategy::GuardWithIf;
    case halide::Tail::ShiftInwards:
      return Halide::TailStrategy::ShiftInwards;
    }
    llvm_unreachable("all tails are covered");
  }

  //===-- Directives ------------------------------------------------------===//

  LogicalResult directive(halide::SplitOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> old = var(op, op.getOld());
    if (failed(old))
      return failure();
    VarOrRVar outer = fresh(op, op.getOuter(), old->is_rvar);
    VarOrRVar inner = fresh(op, op.getInner(), old->is_rvar);
    stage(op, func).split(*old, outer, inner, (int32_t)op.getFactor(),
                          tail(op.getTail()));
    return success();
  }

  LogicalResult directive(halide::FuseOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> inner = var(op, op.getInner());
    FailureOr<VarOrRVar> outer = var(op, op.getOuter());
    if (failed(inner) || failed(outer))
      return failure();
    VarOrRVar fused = fresh(op, op.getFused(), inner->is_rvar);
    stage(op, func).fuse(*inner, *outer, fused);
    return success();
  }

  LogicalResult directive(halide::ReorderOp op, Halide::Func &func) {
    std::vector<VarOrRVar> vars;
    for (StringRef name : op.getVars().getAsValueRange<StringAttr>()) {
      FailureOr<VarOrRVar> loop = var(op, name);
      if (failed(loop))
        return failure();
      vars.push_back(*loop);
    }
    stage(op, func).reorder(vars);
    return success();
  }

  LogicalResult directive(halide::VectorizeOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> loop = var(op, op.getVar());
    if (failed(loop))
      return failure();
    if (op.getFactor())
      stage(op, func).vectorize(*loop, (int32_t)*op.getFactor(),
                                tail(op.getTail()));
    else
      stage(op, func).vectorize(*loop);
    return success();
  }

  LogicalResult directive(halide::UnrollOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> loop = var(op, op.getVar());
    if (failed(loop))
      return failure();
    if (op.getFactor())
      stage(op, func).unroll(*loop, (int32_t)*op.getFactor());
    else
      stage(op, func).unroll(*loop);
    return success();
  }

  LogicalResult directive(halide::ParallelOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> loop = var(op, op.getVar());
    if (failed(loop))
      return failure();
    stage(op, func).parallel(*loop);
    return success();
  }

  LogicalResult directive(halide::AtomicOp op, Halide::Func &func) {
    stage(op, func).atomic();
    return success();
  }

  LogicalResult directive(halide::AllowRaceConditionsOp op,
                          Halide::Func &func) {
    stage(op, func).allow_race_conditions();
    return success();
  }

  // A loop of the consumer: of its pure definition, or of an update.
  template <typename Op>
  FailureOr<Halide::LoopLevel> level(Op op, StringRef consumer,
                                     StringRef name) {
    auto func = pipeline.funcs.find(consumer.str());
    if (func == pipeline.funcs.end())
      return op.emitOpError("no func is named @") << consumer;
    for (int stage = -1; stage < func->second.num_update_definitions();
         ++stage) {
      auto found = pipeline.vars.find(
          {stageKey(consumer,
                    stage < 0 ? std::nullopt : std::optional<uint64_t>(stage)),
           name.str()});
      if (found != pipeline.vars.end())
        return Halide::LoopLevel(func->second, found->second);
    }
    return op.emitOpError("@")
           << consumer << " has no loop named '" << name << "'";
  }

  LogicalResult directive(halide::ComputeAtOp op, Halide::Func &func) {
    auto at = level(op, op.getConsumer(), op.getVar());
    if (failed(at))
      return failure();
    func.compute_at(*at);
    return success();
  }

  LogicalResult directive(halide::StoreAtOp op, Halide::Func &func) {
    auto at = level(op, op.getConsumer(), op.getVar());
    if (failed(at))
      return failure();
    func.store_at(*at);
    return success();
  }

  LogicalResult directive(halide::ComputeRootOp, Halide::Func &func) {
    func.compute_root();
    return success();
  }

  LogicalResult directive(halide::StoreInOp op, Halide::Func &func) {
    func.store_in(op.getMemory() == halide::Memory::Register
                      ? Halide::MemoryType::Register
                      : Halide::MemoryType::Stack);
    return success();
  }

  LogicalResult directive(halide::BoundOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> loop = var(op, op.getVar());
    if (failed(loop))
      return failure();
    func.bound(loop->var, (int32_t)op.getMin(), (int32_t)op.getExtent());
    return success();
  }

  LogicalResult directive(halide::BoundExtentOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> loop = var(op, op.getVar());
    if (failed(loop))
      return failure();
    func.bound_extent(loop->var, (int32_t)op.getExtent());
    return success();
  }

  LogicalResult directive(halide::PrefetchOp op, Halide::Func &func) {
    FailureOr<VarOrRVar> loop = var(op, op.getVar());
    if (failed(loop))
      return failure();
    auto input = pipeline.inputs.find(op.getSource().str());
    if (input == pipeline.inputs.end())
      return op.emitOpError("no input is named ") << op.getSourceAttr();
    stage(op, func).prefetch(input->second, *loop, *loop,
                             (int32_t)op.getOffset());
    return success();
  }

  TranslatedPipeline &pipeline;
};

} // namespace

LogicalResult heddle::translateSchedule(halide::ScheduleOp schedule,
                                        TranslatedPipeline &pipeline) {
  return ScheduleTranslator(pipeline).run(schedule);
}
