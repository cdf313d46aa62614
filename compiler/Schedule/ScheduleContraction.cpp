// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions: accumulators of a register tile, one panel of weights wide.
//
// Many rows (prefill)                    Few rows (decode)
//   for block of row tiles                 parallel task
//     parallel panel                         for panel of the task
//       for row tile of the block              for row
//         tile = 0                               panel = 0
//         for k: tile += x(k) W(k)               for k: panel += x(k) W(k)
//         write epilogue(tile)                   write epilogue(panel)
// The rows of a block stay in the cache while the panels pass, unless these
// come from memory: then there are more rows, as few blocks matter more.
// Decoding reads each weight once; rows after the first find its panel in the
// cache.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

static StringRef reductionVar(UpdateOp update) {
  return *update.getReductionVars().getAsValueRange<StringAttr>().begin();
}

static bool addsBlocks(UpdateOp update) {
  return reductionVar(update) == kBlockVar;
}

// Input channels that the accumulators of one output read, all together.
static int64_t depthOf(Scheduler &s, ArrayRef<FuncOp> accumulators) {
  int64_t depth = 0;
  for (FuncOp accumulator : accumulators) {
    UpdateOp update = s.update(accumulator.getSymName());
    if (!update || addsBlocks(update))
      continue;
    int64_t blocks = 1;
    if (auto fold = accumulator->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr))
      blocks = s.update(fold.getValue()).getStaticExtents()[0];
    depth += update.getStaticExtents()[0] * blocks;
  }
  return depth;
}

// Row tiles of a block.
static int64_t chooseBlock(const MachineModel &machine, int64_t depth,
                           int64_t weights) {
  int64_t cached = machine.rowBlockBytes / (machine.rowTile * depth * 4);
  int64_t least = weights > machine.cachedWeights
                      ? machine.streamedRows / machine.rowTile
                      : 1;
  return std::max(cached, least);
}

// The sums of a tile, or of its part of a block of the depth, in registers;
// those of all blocks beside them.
static void scheduleSums(Scheduler &s, FuncOp sums, StringRef output,
                         StringRef tileLoop, bool fewRows) {
  const MachineModel &machine = s.machine;
  StringRef name = sums.getSymName();
  int64_t lanes = machine.lanes;
  auto fold = sums->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
  if (fold)
    s.computeAt(name, fold.getValue(), kBlockVar);
  else
    s.computeAt(name, output, tileLoop);
  StringRef reduced = reductionVar(s.update(name));
  bool isTotal = addsBlocks(s.update(name));
  s.storeIn(name, isTotal ? Memory::Stack : Memory::Register);
  s.boundExtent(name, "n", machine.panelWidth);
  if (fold)
    s.boundExtent(name, kBlockVar, 1);
  if (!fewRows)
    s.boundExtent(name, "m", machine.rowTile);
  s.pure(name).vectorize("n", lanes).unroll("n");
  auto update = s.updateOf(name);
  if (fewRows) {
    update.reorder({"n", reduced}).vectorize("n", lanes).unroll("n");
    if (!isTotal)
      update.unroll(reduced, 4);
  } else {
    s.pure(name).unroll("m");
    update.reorder({"n", "m", reduced})
        .vectorize("n", lanes)
        .unroll("n")
        .unroll("m");
  }
}

void heddle::scheduleContraction(Scheduler &s, OutputOp output) {
  const MachineModel &machine = s.machine;
  FuncOp func = s.func(output.getFunc());
  StringRef name = func.getSymName();
  StringRef n = cast<StringAttr>(func.getVars()[0]).getValue();
  StringRef m = cast<StringAttr>(func.getVars()[1]).getValue();
  SmallVector<FuncOp> accumulators = s.computedInside(func);
  int64_t width = machine.panelWidth, lanes = machine.lanes;
  int64_t channels = output.getStaticExtents()[0];
  int64_t panels = llvm::divideCeil(channels, width);
  bool fewRows = Scheduler::hasFewRows(output);
  int64_t weights = depthOf(s, accumulators) * panels * width;
  bool isParallel = weights >= machine.parallelWeights;

  auto stage = s.pure(name);
  stage.split(n, "panel", "lane", width, Tail::RoundUp);
  if (fewRows) {
    stage.reorder({"lane", m, "panel"}).vectorize("lane", lanes).unroll("lane");
    if (isParallel) {
      int64_t panelsPerTask = std::clamp<int64_t>(
          machine.taskWeights * panels / weights, 1, panels);
      stage
          .split("panel", "task", "panel_in_task", panelsPerTask,
                 Tail::GuardWithIf)
          .parallel("task");
    }
  } else {
    int64_t tiles = chooseBlock(machine, depthOf(s, accumulators), weights);
    stage.split(m, "row_tile", "row", machine.rowTile, Tail::GuardWithIf)
        .split("row_tile", "block", "tile", tiles, Tail::GuardWithIf)
        .reorder({"lane", "row", "tile", "panel", "block"})
        .vectorize("lane", lanes)
        .unroll("lane")
        .unroll("row");
    stage.parallel("panel");
  }
  for (FuncOp accumulator : accumulators)
    scheduleSums(s, accumulator, name, fewRows ? m : StringRef("tile"),
                 fewRows);
}
