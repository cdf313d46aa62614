// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic whose last dimension counts rows: strips of rows, whole
// periods of coordinates that are divided, and square tiles of transpositions.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/GenericScheduler.h"
#include "compiler/Schedule/LoopNames.h"
#include "dialect/Heddle/SizeRange.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

// The last dimension counts rows: a strip of them at a time. Strips with
// something inside are whole, so that what is kept of them has one size: the
// last may do again what the one before has done.
void GenericScheduler::scheduleStrips() {
  SizeAttr extent = rows.front().extent;
  if (inside.empty()) {
    auto stage = s.pure(name);
    if (const Dimension *across = findTransposed())
      return scheduleTransposition(stage, *across);
    if (SmallVector<int64_t> periods = findPeriods(); !periods.empty())
      return schedulePeriods(stage, periods);
    return specializeStrides(findStrides(), [&](Scheduler::Stage &stage) {
      scheduleStrip(stage, s.machine.taskElements,
                    leavesOne(extent, lanes) ? Tail::ShiftInwards
                                             : Tail::GuardWithIf);
    });
  }
  if (extent.asNumber()) {
    auto stage = s.pure(name);
    scheduleStrip(stage, stripWidth(), Tail::ShiftInwards);
  } else {
    s.specializeWidths(name, extent, stripWidth(), lanes,
                       [&](Scheduler::Stage &stage, int64_t width) {
                         scheduleStrip(stage, width,
                                       width == 1 ? Tail::Auto
                                                  : Tail::ShiftInwards);
                       });
  }
  scheduleInside(stripLoop(), /*isStrip=*/true);
}

int64_t GenericScheduler::stripWidth() {
  constexpr int64_t usualBytes = 4;
  int64_t kept = 0;
  for (FuncOp callee : inside) {
    if (!callee->hasAttr(kExtentsAttr) || callee.getRank() == 0)
      continue;
    int64_t bytes = 0;
    for (Type type : callee.getTypes().getAsValueRange<TypeAttr>())
      bytes += bytesOfElement(type);
    int64_t ofRow = std::max<int64_t>(bytes / usualBytes, 1);
    for (auto [var, extent] : llvm::zip_equal(
             callee.getVars().getAsValueRange<StringAttr>(), extentsOf(callee)))
      if (!isRow(callee, var))
        ofRow *=
            std::min(extent.asNumber().value_or(1), s.machine.taskElements);
    kept += ofRow;
  }
  kept = std::max<int64_t>(kept, 1);
  return std::clamp(s.machine.taskElements / kept / lanes * lanes, lanes,
                    tiles.getStrip());
}

bool GenericScheduler::isCut(int64_t width) {
  return atLeast(rows.front().extent) > width;
}

StringRef GenericScheduler::stripLoop() {
  if (isCut(stripWidth()))
    return kStripLoop;
  return rows.size() > 1 ? StringRef(rows[1].name) : StringRef();
}

SmallVector<int64_t> GenericScheduler::findPeriods() {
  llvm::SmallSetVector<int64_t, 4> found;
  func.walk([&](Operation *op) {
    if (!isa<ModOp, arith::FloorDivSIOp>(op))
      return;
    auto variable = dyn_cast<BlockArgument>(op->getOperand(0));
    APInt number;
    if (variable && variable.getArgNumber() == 0 &&
        matchPattern(op->getOperand(1), m_ConstantInt(&number)))
      found.insert(number.getSExtValue());
  });
  SmallVector<int64_t> periods = found.takeVector();
  llvm::sort(periods, std::greater<int64_t>());
  std::optional<int64_t> whole = rows.front().extent.asNumber();
  for (int64_t period : periods) {
    if (!whole || period < s.lanes || *whole % period)
      return {};
    whole = period;
  }
  return periods;
}

// Loops over whole periods, in which quotients are constant and remainders
// count elements: then what is read lies side by side.
void GenericScheduler::schedulePeriods(Scheduler::Stage &stage,
                                       ArrayRef<int64_t> periods) {
  std::string inner = rows.front().name;
  std::vector<Dimension> outer;
  int64_t whole = *rows.front().extent.asNumber();
  for (auto [index, period] : llvm::enumerate(periods)) {
    if (period == whole)
      continue;
    std::string number = std::to_string(index);
    stage.split(inner, "period" + number, "element" + number, period);
    outer.insert(outer.begin(),
                 {"period" + number,
                  SizeAttr::number(func.getContext(), whole / period)});
    inner = "element" + number;
    whole = period;
  }
  SizeAttr extent = SizeAttr::number(func.getContext(), whole);
  std::vector<Dimension> loops(rows.begin() + 1, rows.end());
  SmallVector<StringRef> order{inner};
  llvm::append_range(order, namesOf(outer));
  llvm::append_range(order, namesOf(loops));
  stage.reorder(order);
  vectorize(stage, inner, extent);
  // Choices between periods are made when the code is.
  constexpr int64_t few = 4;
  if (!outer.empty() && *outer.front().extent.asNumber() <= few)
    stage.unroll(outer.front().name);
  scheduleTasks(stage, loops, atLeast(rows.front().extent));
}

// Whether a parameter is 0 or 1 in all calls.
static bool isZeroOrOne(SizeAttr parameter) {
  SizeRange range =
      rangeOf(parameter, [](StringRef) { return SizeRange{0, kLargestCount}; });
  return range.least == 0 && range.most == 1;
}

// Products of the last variable and of such a parameter.
SmallVector<SizeAttr> GenericScheduler::findStrides() {
  llvm::SmallSetVector<SizeAttr, 2> strides;
  func.walk([&](AccessOp access) {
    for (Value coordinate : access.getCoordinates()) {
      auto product = coordinate.getDefiningOp<arith::MulIOp>();
      auto variable =
          product ? dyn_cast<BlockArgument>(product.getLhs()) : BlockArgument();
      auto stride =
          product ? product.getRhs().getDefiningOp<ParamOp>() : ParamOp();
      if (variable && variable.getArgNumber() == 0 && stride &&
          isZeroOrOne(stride.getSize()))
        strides.insert(stride.getSize());
    }
  });
  return strides.takeVector();
}

// So that vectors of inputs lie side by side, or are of one element: Halide
// loads elements one by one where it does not know the stride. More cases than
// those of two strides are not worth their code. There is no other value, so
// that what is left of the stage has no directives.
void GenericScheduler::specializeStrides(
    ArrayRef<SizeAttr> strides,
    llvm::function_ref<void(Scheduler::Stage &stage)> schedule) {
  constexpr size_t most = 2;
  if (strides.empty()) {
    Scheduler::Stage stage = s.pure(name);
    return schedule(stage);
  }
  for (int64_t value : {1, 0})
    s.specialize(s.pure(name), strides.front(), Comparison::Equal, value,
                 [&](Scheduler::Stage &) {
                   specializeStrides(strides.take_front(most).drop_front(),
                                     schedule);
                 });
}

void GenericScheduler::scheduleStrip(Scheduler::Stage &stage, int64_t width,
                                     Tail tail) {
  const Dimension &last = rows.front();
  SmallVector<StringRef> order = namesOf(columns);
  std::vector<Dimension> loops;
  Dimension lane = last;
  int64_t elements = std::min(width, atLeast(last.extent));
  if (isCut(width)) {
    bool divides = tailOf(last.extent, width) == Tail::Auto;
    if (divides)
      tail = Tail::Auto;
    loops.push_back({kStripLoop.str(), ceilDiv(last.extent, width)});
    if (tail == Tail::GuardWithIf) {
      // Vectors first: of those that are past the end a mask would be empty,
      // and the last strip would go over all of its own, one by one.
      stage.split(last.name, kVectorLoop, kLaneLoop, lanes, tail);
      stage.split(kVectorLoop, kStripLoop, kVectorInStripLoop, width / lanes,
                  tail);
      order.insert(order.begin(), kVectorInStripLoop);
      width = lanes;
    } else {
      stage.split(last.name, kStripLoop, kLaneLoop, width, tail);
    }
    lane = {kLaneLoop.str(), SizeAttr::number(func.getContext(), width)};
  }
  order.insert(order.begin(), lane.name);
  loops.insert(loops.end(), rows.begin() + 1, rows.end());
  llvm::append_range(order, namesOf(loops));
  stage.reorder(order);
  vectorize(stage, lane.name, lane.extent);
  for (const Dimension &column : columns)
    elements = product(elements, atLeast(column.extent));
  scheduleTasks(stage, loops, elements);
}

const GenericScheduler::Dimension *GenericScheduler::findTransposed() {
  const Dimension *found = nullptr;
  func.walk([&](AccessOp access) {
    if (access.getCoordinates().empty())
      return;
    ValueRange at = access.getCoordinates();
    auto variable = dyn_cast<BlockArgument>(at.front());
    bool hasLast = llvm::any_of(at.drop_front(), [](Value coordinate) {
      auto other = dyn_cast<BlockArgument>(coordinate);
      return other && other.getArgNumber() == 0;
    });
    if (!variable || variable.getArgNumber() == 0 || !hasLast)
      return;
    auto name = cast<StringAttr>(func.getVars()[variable.getArgNumber()]);
    for (const Dimension &row : rows)
      if (row.name == name.getValue())
        found = &row;
  });
  return found && atLeast(found->extent) >= s.machine.transposedTile &&
                 atLeast(rows.front().extent) >= s.machine.transposedTile
             ? found
             : nullptr;
}

// Square tiles, of whole cache lines on both sides. Their elements are moved
// one by one, which is faster than to gather vectors of them.
void GenericScheduler::scheduleTransposition(Scheduler::Stage &stage,
                                             const Dimension &across) {
  const Dimension &last = rows.front();
  auto tail = [&](const Dimension &dimension) {
    return tailOf(dimension.extent, s.machine.transposedTile);
  };
  stage.split(last.name, kStripLoop, kLaneLoop, s.machine.transposedTile,
              tail(last));
  stage.split(across.name, kAcrossLoop, kInnerLoop, s.machine.transposedTile,
              tail(across));
  std::vector<Dimension> loops{
      {kStripLoop.str(), ceilDiv(last.extent, s.machine.transposedTile)},
      {kAcrossLoop.str(), ceilDiv(across.extent, s.machine.transposedTile)}};
  for (const Dimension &row : ArrayRef(rows).drop_front())
    if (&row != &across)
      loops.push_back(row);
  SmallVector<StringRef> order{kLaneLoop, kInnerLoop};
  llvm::append_range(order, namesOf(loops));
  stage.reorder(order);
  const Dimension *parallel = chooseParallel(loops);
  if (isWorthTasks())
    stage.parallel(parallel->name);
}
