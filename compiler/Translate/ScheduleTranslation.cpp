// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which directive is about what, and those about a func as a whole.

#include "compiler/Translate/ScheduleTranslator.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using Halide::Func;
using Halide::Var;
using Halide::VarOrRVar;

LogicalResult ScheduleTranslator::run(Block &directives,
                                      TranslatedStage *specialized) {
  for (Operation &op : directives)
    if (failed(apply(&op, specialized)))
      return failure();
  return success();
}

LogicalResult ScheduleTranslator::apply(Operation *op,
                                        TranslatedStage *specialized) {
  using namespace heddle::halide;
  try {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<halide::SplitOp, FuseOp, TileOp, ReorderOp, RenameOp, SerialOp,
              VectorizeOp, UnrollOp, ParallelOp, AtomicOp,
              AllowRaceConditionsOp, ComputeWithOp, PrefetchOp, SpecializeOp,
              GpuBlocksOp, GpuThreadsOp, GpuSingleThreadOp, GpuTileOp>(
            [&](auto op) -> LogicalResult {
              if (specialized)
                return directive(op, *specialized);
              auto stage = findStage(op, op.getFunc(), op.getUpdate());
              return failed(stage) ? failure() : directive(op, **stage);
            })
        .Case<ComputeAtOp, StoreAtOp, ComputeRootOp, StoreRootOp, StoreInOp,
              ReorderStorageOp, AlignStorageOp, BoundOp, BoundExtentOp,
              AlignBoundsOp>([&](auto op) -> LogicalResult {
          auto func = findFunc(op, op.getFunc());
          return failed(func) ? failure() : directive(op, **func);
        })
        .Default([](Operation *op) {
          return op->emitOpError("is not a scheduling directive");
        });
  } catch (const Halide::Error &error) {
    return op->emitOpError("was rejected by Halide: ")
           << StringRef(error.what()).trim();
  }
}

//===-- Lookups -----------------------------------------------------------===//

FailureOr<Func *> ScheduleTranslator::findFunc(Operation *op, StringRef name) {
  auto func = pipeline.funcs.find(name.str());
  if (func == pipeline.funcs.end())
    return op->emitOpError("no func is named @") << name;
  return &func->second;
}

FailureOr<TranslatedStage *>
ScheduleTranslator::findStage(Operation *op, StringRef func,
                              std::optional<uint64_t> update) {
  if (failed(findFunc(op, func)))
    return failure();
  auto stage = pipeline.stages.find(stageKey(func, update));
  if (stage == pipeline.stages.end())
    return op->emitOpError("no update ") << *update << " of @" << func;
  return &stage->second;
}

FailureOr<VarOrRVar> ScheduleTranslator::findLoop(Operation *op, StringRef func,
                                                  const TranslatedStage &stage,
                                                  StringRef name) {
  auto loop = stage.loops.find(name.str());
  if (loop == stage.loops.end())
    return op->emitOpError("@")
           << func << " has no loop named '" << name << "'";
  return loop->second;
}

FailureOr<Halide::LoopLevel> ScheduleTranslator::findLevel(Operation *op,
                                                           StringRef consumer,
                                                           StringRef name) {
  auto func = findFunc(op, consumer);
  if (failed(func))
    return failure();
  for (int update = -1; update < (*func)->num_update_definitions(); ++update) {
    const TranslatedStage &stage = pipeline.stages.at(stageKey(
        consumer, update < 0 ? std::nullopt : std::optional<uint64_t>(update)));
    auto loop = stage.loops.find(name.str());
    if (loop != stage.loops.end())
      return Halide::LoopLevel(**func, loop->second);
  }
  return op->emitOpError("@")
         << consumer << " has no loop named '" << name << "'";
}

FailureOr<Var> ScheduleTranslator::findDimension(Operation *op, StringRef func,
                                                 StringRef name) {
  for (const Var &dimension : pipeline.funcs.at(func.str()).args())
    if (dimension.name() == name)
      return dimension;
  return op->emitOpError("@")
         << func << " has no dimension named '" << name << "'";
}

//===-- Where a func is computed and kept ---------------------------------===//

LogicalResult ScheduleTranslator::directive(halide::ComputeAtOp op,
                                            Func &func) {
  auto level = findLevel(op, op.getConsumer(), op.getVar());
  if (failed(level))
    return failure();
  func.compute_at(*level);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::StoreAtOp op, Func &func) {
  auto level = findLevel(op, op.getConsumer(), op.getVar());
  if (failed(level))
    return failure();
  func.store_at(*level);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::ComputeRootOp, Func &func) {
  func.compute_root();
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::StoreRootOp, Func &func) {
  func.store_root();
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::StoreInOp op, Func &func) {
  switch (op.getMemory()) {
  case halide::Memory::Stack:
    func.store_in(Halide::MemoryType::Stack);
    return success();
  case halide::Memory::Register:
    func.store_in(Halide::MemoryType::Register);
    return success();
  case halide::Memory::GPUShared:
    func.store_in(Halide::MemoryType::GPUShared);
    return requireDevice(op);
  case halide::Memory::AMXTile:
    func.store_in(Halide::MemoryType::Stack);
    pipeline.tiles.insert(func.name());
    return success();
  }
  llvm_unreachable("covered switch");
}

LogicalResult ScheduleTranslator::directive(halide::ReorderStorageOp op,
                                            Func &func) {
  std::vector<Var> dimensions;
  for (StringRef name : op.getDims().getAsValueRange<StringAttr>()) {
    auto dimension = findDimension(op, op.getFunc(), name);
    if (failed(dimension))
      return failure();
    dimensions.push_back(*dimension);
  }
  func.reorder_storage(dimensions);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::AlignStorageOp op,
                                            Func &func) {
  auto dimension = findDimension(op, op.getFunc(), op.getDim());
  if (failed(dimension))
    return failure();
  func.align_storage(*dimension, int32_t(op.getAlignment()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::BoundOp op, Func &func) {
  auto dimension = findDimension(op, op.getFunc(), op.getVar());
  if (failed(dimension))
    return failure();
  func.bound(*dimension, int32_t(op.getMin()), int32_t(op.getExtent()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::BoundExtentOp op,
                                            Func &func) {
  auto dimension = findDimension(op, op.getFunc(), op.getVar());
  if (failed(dimension))
    return failure();
  func.bound_extent(*dimension, int32_t(op.getExtent()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::AlignBoundsOp op,
                                            Func &func) {
  auto dimension = findDimension(op, op.getFunc(), op.getVar());
  if (failed(dimension))
    return failure();
  func.align_bounds(*dimension, int32_t(op.getModulus()),
                    int32_t(op.getRemainder()));
  return success();
}

LogicalResult heddle::translateSchedule(halide::ScheduleOp schedule,
                                        TranslatedPipeline &pipeline,
                                        bool isOnDevice) {
  return ScheduleTranslator(pipeline, isOnDevice)
      .run(schedule.getBody().front());
}
