// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions: accumulators of a register tile, one panel of weights wide.
//
// Many rows (prefill)                    Few rows (decode)
//   parallel panel                         parallel task
//     for row tile                           for panel of the task
//       tile = 0                               for row
//       for k: tile += x(k) W(k)                 panel = 0
//       write epilogue(tile)                     for k: panel += x(k) W(k)
//                                                write epilogue(panel)
// A panel stays in the cache while the rows pass. Decoding reads each weight once;
// rows after the first find its panel in the cache.

#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

// Weights that the accumulators of one output read.
static int64_t countWeights(Scheduler &s, ArrayRef<FuncOp> accumulators,
                            int64_t channels) {
  int64_t depth = 0;
  for (FuncOp accumulator : accumulators)
    if (UpdateOp update = s.update(accumulator.getSymName()))
      depth += update.getStaticExtents()[0];
  return depth * channels;
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
  int64_t weights = countWeights(s, accumulators, panels * width);
  bool isParallel = weights >= machine.parallelWeights;

  auto stage = s.pure(name);
  stage.split(n, "panel", "lane", width, Tail::RoundUp);
  if (fewRows) {
    stage.reorder({"lane", m, "panel"}).vectorize("lane", lanes).unroll("lane");
    if (isParallel) {
      int64_t panelsPerTask = std::clamp<int64_t>(
          machine.taskWeights * panels / weights, 1, panels);
      stage.split("panel", "task", "panel_in_task", panelsPerTask,
                  Tail::GuardWithIf)
          .parallel("task");
    }
  } else {
    stage.split(m, "tile", "row", machine.rowTile, Tail::GuardWithIf)
        .reorder({"lane", "row", "tile", "panel"})
        .vectorize("lane", lanes)
        .unroll("lane")
        .unroll("row");
    stage.parallel("panel");
  }
  for (FuncOp accumulator : accumulators) {
    StringRef acc = accumulator.getSymName();
    s.computeAt(acc, name, fewRows ? m : StringRef("tile"));
    s.storeIn(acc, Memory::Register);
    s.boundExtent(acc, "n", width);
    if (!fewRows)
      s.boundExtent(acc, "m", machine.rowTile);
    s.pure(acc).vectorize("n", lanes).unroll("n");
    auto update = s.updateOf(acc);
    if (fewRows) {
      update.reorder({"n", "k"}).vectorize("n", lanes).unroll("n");
      update.unroll("k", 4);
    } else {
      s.pure(acc).unroll("m");
      update.reorder({"n", "m", "k"}).vectorize("n", lanes).unroll("n").unroll("m");
    }
  }
}
