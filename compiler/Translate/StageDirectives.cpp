// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives about the loops of a stage.

#include "compiler/Translate/ScheduleTranslator.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;
using Halide::VarOrRVar;

Halide::TailStrategy heddle::toTailStrategy(halide::Tail tail) {
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

static Halide::LoopAlignStrategy toAlignStrategy(halide::Align align) {
  switch (align) {
  case halide::Align::Auto:
    return Halide::LoopAlignStrategy::Auto;
  case halide::Align::Start:
    return Halide::LoopAlignStrategy::AlignStart;
  case halide::Align::End:
    return Halide::LoopAlignStrategy::AlignEnd;
  case halide::Align::None:
    return Halide::LoopAlignStrategy::NoAlign;
  }
  llvm_unreachable("all alignments are covered");
}

static Expr compare(halide::Comparison comparison, const Expr &size,
                    int32_t value) {
  switch (comparison) {
  case halide::Comparison::Equal:
    return size == value;
  case halide::Comparison::NotEqual:
    return size != value;
  case halide::Comparison::Less:
    return size < value;
  case halide::Comparison::LessOrEqual:
    return size <= value;
  case halide::Comparison::Greater:
    return size > value;
  case halide::Comparison::GreaterOrEqual:
    return size >= value;
  case halide::Comparison::MultipleOf:
    return size % value == 0;
  }
  llvm_unreachable("all comparisons are covered");
}

FailureOr<std::vector<VarOrRVar>>
ScheduleTranslator::findLoops(Operation *op, StringRef func,
                              const TranslatedStage &stage, ArrayAttr names) {
  std::vector<VarOrRVar> loops;
  for (StringRef name : names.getAsValueRange<StringAttr>()) {
    auto loop = findLoop(op, func, stage, name);
    if (failed(loop))
      return failure();
    loops.push_back(*loop);
  }
  return loops;
}

// A loop that others replace.
FailureOr<VarOrRVar> ScheduleTranslator::takeLoop(Operation *op, StringRef func,
                                                  TranslatedStage &stage,
                                                  StringRef name) {
  auto loop = findLoop(op, func, stage, name);
  stage.loops.erase(name.str());
  return loop;
}

// A new loop, of the kind of those that it comes from.
static VarOrRVar addLoop(TranslatedStage &stage, StringRef name, bool isRVar) {
  VarOrRVar loop(name.str(), isRVar);
  stage.loops.insert_or_assign(name.str(), loop);
  return loop;
}

std::vector<Expr> heddle::toExprs(ArrayRef<int64_t> values) {
  std::vector<Expr> exprs;
  for (int64_t value : values)
    exprs.push_back(int32_t(value));
  return exprs;
}

//===-- The loop nest -----------------------------------------------------===//

LogicalResult ScheduleTranslator::directive(halide::SplitOp op, Stage &stage) {
  auto old = takeLoop(op, op.getFunc(), stage, op.getOld());
  if (failed(old))
    return failure();
  VarOrRVar outer = addLoop(stage, op.getOuter(), old->is_rvar);
  VarOrRVar inner = addLoop(stage, op.getInner(), old->is_rvar);
  // Such a guard stands around what is stored.
  bool isGuarded =
      !op.getUpdate() && pipeline.guards.has(op.getFunc(), op.getOld());
  stage.stage.split(*old, outer, inner, int32_t(op.getFactor()),
                    isGuarded ? Halide::TailStrategy::RoundUp
                              : toTailStrategy(op.getTail()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::FuseOp op, Stage &stage) {
  auto inner = takeLoop(op, op.getFunc(), stage, op.getInner());
  auto outer = takeLoop(op, op.getFunc(), stage, op.getOuter());
  if (failed(inner) || failed(outer))
    return failure();
  stage.stage.fuse(*inner, *outer,
                   addLoop(stage, op.getFused(), inner->is_rvar));
  return success();
}

// Replaces `previous` by new loops, some outer and some inner.
FailureOr<ScheduleTranslator::Tiles>
ScheduleTranslator::takeTiles(Operation *op, StringRef func, Stage &stage,
                              ArrayAttr previous, ArrayAttr outers,
                              ArrayAttr inners) {
  Tiles tiles;
  for (StringRef name : previous.getAsValueRange<StringAttr>()) {
    auto loop = takeLoop(op, func, stage, name);
    if (failed(loop))
      return failure();
    tiles.previous.push_back(*loop);
  }
  auto add = [&](ArrayAttr names, std::vector<VarOrRVar> &loops) {
    for (auto [name, old] :
         llvm::zip(names.getAsValueRange<StringAttr>(), tiles.previous))
      loops.push_back(addLoop(stage, name, old.is_rvar));
  };
  add(outers, tiles.outers);
  add(inners, tiles.inners);
  return tiles;
}

LogicalResult ScheduleTranslator::directive(halide::TileOp op, Stage &stage) {
  auto tiles = takeTiles(op, op.getFunc(), stage, op.getPrevious(),
                         op.getOuters(), op.getInners());
  if (failed(tiles))
    return failure();
  stage.stage.tile(tiles->previous, tiles->outers, tiles->inners,
                   toExprs(op.getFactors()), toTailStrategy(op.getTail()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::ReorderOp op,
                                            Stage &stage) {
  auto loops = findLoops(op, op.getFunc(), stage, op.getVars());
  if (failed(loops))
    return failure();
  stage.stage.reorder(*loops);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::RenameOp op, Stage &stage) {
  auto loop = takeLoop(op, op.getFunc(), stage, op.getOldName());
  if (failed(loop))
    return failure();
  stage.stage.rename(*loop, addLoop(stage, op.getNewName(), loop->is_rvar));
  return success();
}

//===-- How loops run -----------------------------------------------------===//

LogicalResult ScheduleTranslator::directive(halide::SerialOp op, Stage &stage) {
  auto loop = findLoop(op, op.getFunc(), stage, op.getVar());
  if (failed(loop))
    return failure();
  stage.stage.serial(*loop);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::VectorizeOp op,
                                            Stage &stage) {
  if (isOnDevice)
    return op.emitOpError("a thread of a device has no vectors; halide.unroll "
                          "lets it do as much");
  auto loop = findLoop(op, op.getFunc(), stage, op.getVar());
  if (failed(loop))
    return failure();
  if (op.getFactor())
    stage.stage.vectorize(*loop, int32_t(*op.getFactor()),
                          toTailStrategy(op.getTail()));
  else
    stage.stage.vectorize(*loop);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::UnrollOp op, Stage &stage) {
  auto loop = findLoop(op, op.getFunc(), stage, op.getVar());
  if (failed(loop))
    return failure();
  if (op.getFactor())
    stage.stage.unroll(*loop, int32_t(*op.getFactor()));
  else
    stage.stage.unroll(*loop);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::ParallelOp op,
                                            Stage &stage) {
  auto loop = findLoop(op, op.getFunc(), stage, op.getVar());
  if (failed(loop))
    return failure();
  stage.stage.parallel(*loop);
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::AtomicOp, Stage &stage) {
  stage.stage.atomic();
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::AllowRaceConditionsOp,
                                            Stage &stage) {
  stage.stage.allow_race_conditions();
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::ComputeWithOp op,
                                            Stage &stage) {
  auto other = findStage(op, op.getStage(), op.getStageUpdate());
  if (failed(other))
    return failure();
  auto loop = findLoop(op, op.getStage(), **other, op.getVar());
  if (failed(loop))
    return failure();
  stage.stage.compute_with((*other)->stage, *loop,
                           toAlignStrategy(op.getAlign()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::PrefetchOp op,
                                            Stage &stage) {
  auto loop = findLoop(op, op.getFunc(), stage, op.getVar());
  if (failed(loop))
    return failure();
  auto input = pipeline.inputs.find(op.getSource().str());
  if (input == pipeline.inputs.end())
    return op.emitOpError("no input is named ") << op.getSourceAttr();
  stage.stage.prefetch(input->second, *loop, *loop, int32_t(op.getOffset()));
  return success();
}

LogicalResult ScheduleTranslator::directive(halide::SpecializeOp op,
                                            Stage &stage) {
  auto size = pipeline.sizes.find(op.getSize().str());
  if (size == pipeline.sizes.end()) {
    InFlightDiagnostic diagnostic = op.emitOpError("no parameter is named '")
                                    << op.getSize().str() << "', found ";
    llvm::interleaveComma(pipeline.sizes, diagnostic, [&](const auto &entry) {
      diagnostic << "'" << entry.first << "'";
    });
    return diagnostic;
  }
  Stage specialized{stage.stage.specialize(compare(
                        op.getComparison(), size->second, op.getValue())),
                    stage.loops};
  return run(op.getBody().front(), &specialized);
}
