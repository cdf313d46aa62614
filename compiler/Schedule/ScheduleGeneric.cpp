// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic: elementwise maths, views, reductions and groups of them.
//
// Rows beside their elements           Rows along the last dimension
//   parallel block of rows               parallel strip of rows
//     for row                              reductions of the strip, vectorised
//       reductions of the row              for other elements
//       for element, vectorised              for row, vectorised

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/GenericScheduler.h"
#include "compiler/Schedule/LoopNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

GenericScheduler::GenericScheduler(Scheduler &s, OutputOp output)
    : s(s), tiles(cast<RowTilesAttr>(s.configuration)),
      func(s.func(output.getFunc())), name(func.getSymName()),
      inside(s.computedInside(func)) {
  for (auto [name, extent] : llvm::zip_equal(
           func.getVars().getAsValueRange<StringAttr>(), extentsOf(func))) {
    Dimension dimension{name.str(), extent};
    (isRow(func, name) ? rows : columns).push_back(dimension);
    elements = elements * extent;
  }
  lanes = lanesOf(s.lanes, widestBytes());
  if (!inside.empty())
    lanes = std::min(lanes, s.lanes);
  work = atLeast(elements);
  for (FuncOp callee : inside)
    work = std::max(work, product(atLeast(elements), termsOf(callee)));
}

void GenericScheduler::run() {
  if (func.getRank() == 0)
    return scheduleInside(/*loop=*/"", /*isStrip=*/false);
  StringRef last = cast<StringAttr>(func.getVars()[0]).getValue();
  bool hasLanes = llvm::any_of(inside, [](FuncOp callee) {
    return callee.getReduction() == Reduction::Lanes;
  });
  if (!rows.empty() && rows.front().name == last && !hasLanes)
    return scheduleStrips();
  scheduleRows();
}

Sizes GenericScheduler::extentsOf(FuncOp func) {
  return toSizes(func->getAttrOfType<ArrayAttr>(kExtentsAttr));
}

bool GenericScheduler::isRow(FuncOp func, StringRef var) {
  auto rows = func->getAttrOfType<ArrayAttr>(kRowsAttr);
  return rows && llvm::is_contained(rows.getAsValueRange<StringAttr>(), var);
}

bool GenericScheduler::countsLast(FuncOp callee, StringRef var) {
  auto own = callee->getAttrOfType<ArrayAttr>(kRowsAttr);
  auto ofOutput = func->getAttrOfType<ArrayAttr>(kRowsAttr);
  for (auto [row, outputRow] : llvm::zip_equal(own, ofOutput))
    if (cast<StringAttr>(row).getValue() == var)
      return outputRow == func.getVars()[0];
  return false;
}

int64_t GenericScheduler::atLeast(SizeAttr size) {
  return size.asNumber().value_or(kUnknown);
}

int64_t GenericScheduler::product(int64_t a, int64_t b) {
  return a > kUnknown / b ? kUnknown : a * b;
}

int64_t GenericScheduler::vectorOf(SizeAttr extent) {
  int64_t vector = lanes;
  while (vector > s.lanes && vector > atLeast(extent))
    vector /= 2;
  return atLeast(extent) >= vector ? vector : 1;
}

int64_t GenericScheduler::widestBytes() {
  int64_t widest = 1;
  llvm::SetVector<Value> values;
  auto add = [&](Value value) {
    values.insert(value);
    widest = std::max(widest, bytesOfElement(value.getType()));
  };
  llvm::for_each(
      cast<halide::YieldOp>(func.getBody().front().getTerminator()).getValues(),
      add);
  for (size_t next = 0; next < values.size(); ++next) {
    // Coordinates are no elements.
    Operation *producer = values[next].getDefiningOp();
    if (producer && !isa<AccessOp>(producer))
      llvm::for_each(producer->getOperands(), add);
  }
  return widest;
}

// Halide 14 loses the guard of vectors of which the last has one element:
// ramp(16, 1, 16) <= 16 is then true of all lanes.
bool GenericScheduler::leavesOne(SizeAttr extent, int64_t factor) {
  std::optional<int64_t> number = extent.asNumber();
  return number && factor > 1 && *number % factor == 1;
}

Tail GenericScheduler::tailOf(SizeAttr extent, int64_t factor) {
  return Scheduler::tailOf(extent.asNumber(), factor);
}

// Vectors along a dimension; what they do not divide is done by one more that
// begins earlier. Where the size is not known it is done one by one.
void GenericScheduler::vectorize(Scheduler::Stage &stage, StringRef var,
                                 SizeAttr extent) {
  int64_t vector = vectorOf(extent);
  Tail tail = tailOf(extent, vector);
  if (tail == Tail::GuardWithIf && extent.asNumber())
    tail = Tail::ShiftInwards;
  if (vector > 1)
    stage.vectorize(var, vector, tail);
}

// An update may do no element twice: shorter vectors leave more of them.
void GenericScheduler::vectorizeUpdate(Scheduler::Stage &stage, StringRef var,
                                       SizeAttr extent) {
  int64_t vector = vectorOf(extent);
  while (leavesOne(extent, vector))
    vector -= 2;
  if (vector > 1)
    stage.vectorize(var, vector, tailOf(extent, vector));
}

int64_t GenericScheduler::termsOf(FuncOp callee) {
  UpdateOp update = s.update(callee.getSymName());
  if (!update)
    return 1;
  auto lanes = callee->getAttrOfType<IntegerAttr>(kLanesAttr);
  int64_t terms = lanes ? lanes.getInt() : 1;
  for (int64_t extent : update.getStaticExtents())
    terms = product(terms, ShapedType::isDynamic(extent)
                               ? kUnknown
                               : std::max<int64_t>(extent, 1));
  return terms;
}

bool GenericScheduler::isWorthTasks() { return work >= s.machine.taskElements; }

// The outermost loop that has steps for half of all tasks, or else the longest.
const GenericScheduler::Dimension *
GenericScheduler::chooseParallel(ArrayRef<Dimension> loops) {
  const Dimension *best = nullptr;
  for (const Dimension &loop : loops)
    if (!best || atLeast(loop.extent) >= s.machine.tasks / 2 ||
        atLeast(loop.extent) > atLeast(best->extent))
      best = &loop;
  return best;
}

SmallVector<StringRef>
GenericScheduler::namesOf(ArrayRef<Dimension> dimensions) {
  SmallVector<StringRef> names;
  for (const Dimension &dimension : dimensions)
    names.push_back(dimension.name);
  return names;
}

void GenericScheduler::scheduleRows() {
  auto stage = s.pure(name);
  std::string loop = rows.empty() ? "" : rows.front().name;
  const Dimension *parallel = chooseParallel(rows);
  SmallVector<StringRef> order = namesOf(columns);
  for (const Dimension &row : rows) {
    if (&row != parallel || !isWorthTasks()) {
      order.push_back(row.name);
      continue;
    }
    int64_t steps = rowsOfTask(row.extent);
    stage.split(row.name, kBlockLoop, kRowLoop, steps,
                tailOf(row.extent, steps));
    order.append({kRowLoop, kBlockLoop});
    if (row.name == loop)
      loop = kRowLoop.str();
  }
  stage.reorder(order);
  if (!columns.empty())
    vectorize(stage, columns.front().name, columns.front().extent);
  if (parallel && isWorthTasks())
    stage.parallel(kBlockLoop);
  scheduleInside(loop, /*isStrip=*/false);
}

int64_t GenericScheduler::rowsOfTask(SizeAttr all) {
  int64_t ofRow = 1;
  for (const Dimension &column : columns)
    ofRow = product(ofRow, atLeast(column.extent));
  return blockOf(all, ofRow);
}

// One of the loops, which stand innermost first, in parallel: in blocks where
// its steps are small. Inside of all is a loop of `elements`.
void GenericScheduler::scheduleTasks(Scheduler::Stage &stage,
                                     ArrayRef<Dimension> loops,
                                     int64_t elements) {
  const Dimension *parallel = chooseParallel(loops);
  if (!parallel || !isWorthTasks())
    return;
  for (const Dimension *loop = loops.data(); loop != parallel; ++loop)
    elements = product(elements, atLeast(loop->extent));
  // What is computed inside is so at one of these loops.
  int64_t steps = inside.empty() ? blockOf(parallel->extent, elements) : 1;
  if (steps == 1) {
    stage.parallel(parallel->name);
    return;
  }
  stage.split(parallel->name, kBlockLoop, kStepLoop, steps,
              tailOf(parallel->extent, steps));
  stage.parallel(kBlockLoop);
}

int64_t GenericScheduler::blockOf(SizeAttr steps, int64_t elements) {
  int64_t most = std::max(s.machine.rowBlock,
                          steps.asNumber().value_or(0) / s.machine.tasks);
  return std::clamp<int64_t>(tiles.getTask() / elements, 1, most);
}

void heddle::scheduleGeneric(Scheduler &s, OutputOp output) {
  GenericScheduler(s, output).run();
}
