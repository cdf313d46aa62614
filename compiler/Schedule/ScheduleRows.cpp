// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work row by row: normalisation, rotation, gathers, elementwise maths, and the
// scatter into the cache.
//
//   parallel block of rows (serial where rows are few)
//     for row in block
//       reductions of the row
//       for channel, vectorised

#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

void heddle::scheduleRows(Scheduler &s, OutputOp output) {
  FuncOp func = s.func(output.getFunc());
  StringRef name = func.getSymName();
  auto vars = func.getVars().getAsValueRange<StringAttr>();
  StringRef inner = *vars.begin();
  std::string row = cast<StringAttr>(func.getVars().getValue().back()).str();
  auto stage = s.pure(name);
  stage.vectorize(inner, s.vectorOf(output.getStaticExtents()[0]));
  if (func.getRank() > 1 && !Scheduler::hasFewRows(output)) {
    stage.split(row, "block", "row", s.machine.rowBlock, Tail::GuardWithIf)
        .parallel("block");
    row = "row";
  }
  for (FuncOp reduction : s.computedInside(func)) {
    StringRef inside = reduction.getSymName();
    s.computeAt(inside, name, row);
    if (reduction.getRank() < 2)
      continue;
    // Partial sums, one in each lane.
    StringRef lane = cast<StringAttr>(reduction.getVars()[0]).getValue();
    int64_t lanes = s.machine.lanes;
    if (UpdateOp total = s.update("total"))
      lanes = total.getStaticExtents()[0];
    s.boundExtent(inside, lane, lanes);
    s.pure(inside).vectorize(lane, lanes);
    s.updateOf(inside).reorder({lane, "r"}).vectorize(lane, lanes);
  }
}

// update: for row, for head, for channel: cache(...) = value
void heddle::scheduleScatter(Scheduler &s, OutputOp output) {
  FuncOp func = s.func(output.getFunc());
  auto stage = s.updateOf(func.getSymName());
  stage.reorder({"d", "h", "m"});
  // Values lie side by side in the cache; keys are 32 positions apart.
  if (cast<StringAttr>(func.getVars()[0]).getValue() == "d")
    stage.vectorize("d", s.vectorOf(output.getStaticExtents()[0]));
  UpdateOp update = s.update(func.getSymName());
  if (!Scheduler::isFew(update.getExtents().front()))
    stage.parallel("h");
}
