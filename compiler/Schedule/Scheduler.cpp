// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Schedule/Scheduler.h"

#include "compiler/Lowering/Names.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

Scheduler::Scheduler(PipelineOp pipeline, const MachineModel &machine)
    : machine(machine), configuration(pipeline->getAttr(kConfigurationAttr)),
      lanes(heddle::vectorOf(configuration)), builder(pipeline.getContext()),
      loc(pipeline.getLoc()) {
  for (Operation &op : pipeline.getBody().front()) {
    if (auto func = dyn_cast<FuncOp>(op)) {
      funcs[func.getSymName()] = func;
    } else if (auto update = dyn_cast<UpdateOp>(op)) {
      updates[update.getFunc()] = update;
      ++updateCounts[update.getFunc()];
    } else if (auto output = dyn_cast<OutputOp>(op)) {
      outputOps.push_back(output);
    }
  }
  builder.setInsertionPointToEnd(&pipeline.getBody().front());
  auto schedule = ScheduleOp::create(builder, loc, FlatSymbolRefAttr());
  builder.setInsertionPointToEnd(&schedule.getBody().emplaceBlock());
}

void Scheduler::forEach(llvm::function_ref<void(FuncOp)> visit) const {
  auto pipeline =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<PipelineOp>();
  for (auto func : pipeline.getBody().front().getOps<FuncOp>())
    visit(func);
}

bool Scheduler::isStored(StringRef name) const {
  return llvm::any_of(
      outputOps, [&](OutputOp output) { return output.getFunc() == name; });
}

SmallVector<FuncOp> Scheduler::computedInside(FuncOp root) const {
  llvm::SetVector<Operation *> visited;
  SmallVector<FuncOp> result;
  auto visit = [&](auto &&self, FuncOp func) -> void {
    auto follow = [&](Operation *definition) {
      definition->walk([&](AccessOp access) {
        auto found = funcs.find(access.getSource());
        if (found == funcs.end() || isStored(access.getSource()))
          return;
        FuncOp callee = found->second;
        if (!visited.insert(callee))
          return;
        if (update(access.getSource()) || callee->hasAttr(kKeptAttr))
          result.push_back(callee);
        self(self, callee);
      });
    };
    follow(func);
    if (UpdateOp definition = update(func.getSymName()))
      follow(definition);
  };
  visited.insert(root);
  visit(visit, root);
  return result;
}

int64_t Scheduler::vectorOf(int64_t extent) const {
  return ShapedType::isDynamic(extent) ? 1 : vectorDividing(extent, lanes);
}

void Scheduler::specialize(const Stage &stage, SizeAttr size,
                           Comparison comparison, int64_t value,
                           llvm::function_ref<void(Stage &)> schedule) {
  auto specialize = SpecializeOp::create(
      builder, loc, stage.func, stage.updateAttr(), size, comparison, value);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&specialize.getBody().emplaceBlock());
  Stage inside = stage;
  schedule(inside);
}

void Scheduler::specializeWidths(
    StringRef func, SizeAttr size, int64_t widest, int64_t vector,
    llvm::function_ref<void(Stage &, int64_t width)> schedule) {
  // The widest first; Halide takes no case twice.
  SmallVector<int64_t> widths{widest};
  if (widest != vector)
    widths.push_back(vector);
  for (int64_t width : widths)
    specializeAtLeast(pure(func), size, width,
                      [&](Stage &stage) { schedule(stage, width); });
  Stage rest = pure(func);
  schedule(rest, 1);
}

//===-- Directives --------------------------------------------------------===//

IntegerAttr Scheduler::Stage::updateAttr() const {
  return update ? s.builder.getI64IntegerAttr(*update) : IntegerAttr();
}

Scheduler::Stage &Scheduler::Stage::split(StringRef old, StringRef outer,
                                          StringRef inner, int64_t factor,
                                          Tail tail) {
  halide::SplitOp::create(s.builder, s.loc, func, updateAttr(), old, outer,
                          inner, factor, tail);
  return *this;
}

Scheduler::Stage &Scheduler::Stage::fuse(StringRef inner, StringRef outer,
                                         StringRef fused) {
  FuseOp::create(s.builder, s.loc, func, updateAttr(), inner, outer, fused);
  return *this;
}

Scheduler::Stage &Scheduler::Stage::reorder(ArrayRef<StringRef> vars) {
  ReorderOp::create(s.builder, s.loc, func, updateAttr(),
                    s.builder.getStrArrayAttr(vars));
  return *this;
}

Scheduler::Stage &Scheduler::Stage::rename(StringRef old, StringRef name) {
  RenameOp::create(s.builder, s.loc, func, updateAttr(), old, name);
  return *this;
}

Scheduler::Stage &Scheduler::Stage::vectorize(StringRef var, int64_t factor,
                                              Tail tail) {
  if (factor > 1)
    VectorizeOp::create(s.builder, s.loc, func, updateAttr(), var,
                        s.builder.getI64IntegerAttr(factor), tail);
  return *this;
}

Scheduler::Stage &Scheduler::Stage::unroll(StringRef var) {
  UnrollOp::create(s.builder, s.loc, func, updateAttr(), var, IntegerAttr());
  return *this;
}

Scheduler::Stage &Scheduler::Stage::unroll(StringRef var, int64_t factor) {
  UnrollOp::create(s.builder, s.loc, func, updateAttr(), var,
                   s.builder.getI64IntegerAttr(factor));
  return *this;
}

Scheduler::Stage &Scheduler::Stage::parallel(StringRef var) {
  ParallelOp::create(s.builder, s.loc, func, updateAttr(), var);
  return *this;
}

// A directive takes three loops at most; each adds to those before.
Scheduler::Stage &Scheduler::Stage::gpuBlocks(ArrayRef<StringRef> vars) {
  for (StringRef var : vars)
    GpuBlocksOp::create(s.builder, s.loc, func, updateAttr(),
                        s.builder.getStrArrayAttr(var));
  return *this;
}

Scheduler::Stage &Scheduler::Stage::gpuThreads(ArrayRef<StringRef> vars) {
  for (StringRef var : vars)
    GpuThreadsOp::create(s.builder, s.loc, func, updateAttr(),
                         s.builder.getStrArrayAttr(var));
  return *this;
}

Scheduler::Stage &Scheduler::Stage::atomic() {
  AtomicOp::create(s.builder, s.loc, func, updateAttr());
  return *this;
}

Scheduler::Stage &Scheduler::Stage::allowRaceConditions() {
  AllowRaceConditionsOp::create(s.builder, s.loc, func, updateAttr());
  return *this;
}

void Scheduler::computeAt(StringRef func, StringRef consumer, StringRef var) {
  ComputeAtOp::create(builder, loc, func, consumer, var);
}

void Scheduler::computeRoot(StringRef func) {
  ComputeRootOp::create(builder, loc, func);
}

void Scheduler::storeIn(StringRef func, Memory memory) {
  StoreInOp::create(builder, loc, func, memory);
}

void Scheduler::alignStorage(StringRef func, StringRef dim, int64_t alignment) {
  AlignStorageOp::create(builder, loc, func, dim, alignment);
}

void Scheduler::bound(StringRef func, StringRef var, int64_t extent) {
  BoundOp::create(builder, loc, func, var, /*min=*/0, extent);
}

void Scheduler::boundExtent(StringRef func, StringRef var, int64_t extent) {
  BoundExtentOp::create(builder, loc, func, var, extent);
}
