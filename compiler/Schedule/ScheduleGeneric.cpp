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
#include "compiler/Schedule/Scheduler.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

namespace {

class GenericScheduler {
public:
  GenericScheduler(Scheduler &s, OutputOp output)
      : s(s), func(s.func(output.getFunc())), name(func.getSymName()),
        inside(s.computedInside(func)) {
    ArrayRef<Attribute> rowNames =
        func->getAttrOfType<ArrayAttr>(kRowsAttr).getValue();
    for (auto [name, extent] : llvm::zip_equal(
             func.getVars().getAsValueRange<StringAttr>(), extentsOf(func))) {
      Dimension dimension{name.str(), extent};
      bool isRow = llvm::any_of(rowNames, [name = name](Attribute row) {
        return cast<StringAttr>(row).getValue() == name;
      });
      (isRow ? rows : columns).push_back(dimension);
      elements = elements * extent;
    }
    lanes = s.machine.lanesOf(widestBytes());
    if (!inside.empty())
      lanes = std::min(lanes, s.machine.lanes);
    work = atLeast(elements);
    for (FuncOp callee : inside)
      work = std::max(work, product(atLeast(elements), termsOf(callee)));
  }

  void run() {
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

private:
  struct Dimension {
    std::string name;
    SizeAttr extent;
  };

  static Sizes extentsOf(FuncOp func) {
    return toSizes(func->getAttrOfType<ArrayAttr>(kExtentsAttr));
  }

  // Of a number that is not known, that it is large.
  static int64_t atLeast(SizeAttr size) {
    return size.asNumber().value_or(kUnknown);
  }

  // Of two numbers from 1 to kUnknown, and no more than that.
  static int64_t product(int64_t a, int64_t b) {
    return a > kUnknown / b ? kUnknown : a * b;
  }

  // Vectors along a dimension: of short ones they are narrower, or none.
  int64_t vectorOf(SizeAttr extent) {
    int64_t vector = lanes;
    while (vector > s.machine.lanes && vector > atLeast(extent))
      vector /= 2;
    return atLeast(extent) >= vector ? vector : 1;
  }

  // The bytes of the widest number that elements are made of.
  int64_t widestBytes() {
    int64_t widest = 1;
    llvm::SetVector<Value> values;
    auto add = [&](Value value) {
      values.insert(value);
      widest = std::max(widest, bytesOfElement(value.getType()));
    };
    llvm::for_each(cast<halide::YieldOp>(func.getBody().front().getTerminator())
                       .getValues(),
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
  static bool leavesOne(SizeAttr extent, int64_t factor) {
    std::optional<int64_t> number = extent.asNumber();
    return number && factor > 1 && *number % factor == 1;
  }

  static Tail tailOf(SizeAttr extent, int64_t factor) {
    std::optional<int64_t> number = extent.asNumber();
    return number && *number % factor == 0 ? Tail::Auto : Tail::GuardWithIf;
  }

  // Vectors along a dimension; what they do not divide is done by one more that
  // begins earlier. Where the size is not known it is done one by one.
  void vectorize(Scheduler::Stage &stage, StringRef var, SizeAttr extent) {
    int64_t vector = vectorOf(extent);
    Tail tail = tailOf(extent, vector);
    if (tail == Tail::GuardWithIf && extent.asNumber())
      tail = Tail::ShiftInwards;
    if (vector > 1)
      stage.vectorize(var, vector, tail);
  }

  // An update may do no element twice: shorter vectors leave more of them.
  void vectorizeUpdate(Scheduler::Stage &stage, StringRef var,
                       SizeAttr extent) {
    int64_t vector = vectorOf(extent);
    while (leavesOne(extent, vector))
      vector -= 2;
    if (vector > 1)
      stage.vectorize(var, vector, tailOf(extent, vector));
  }

  // How many elements each one of a reduction's result is made of.
  int64_t termsOf(FuncOp callee) {
    UpdateOp update = s.update(callee.getSymName());
    if (!update)
      return 1;
    auto lanes = callee->getAttrOfType<IntegerAttr>(kLanesAttr);
    int64_t terms = lanes ? lanes.getInt() : 1;
    for (int64_t extent : update.getStaticExtents())
      terms = product(terms, ShapedType::isDynamic(extent) ? kUnknown : extent);
    return terms;
  }

  bool isWorthTasks() { return work >= s.machine.taskElements; }

  // The outermost of `loops` that has several steps; they stand innermost
  // first.
  const Dimension *chooseParallel(ArrayRef<Dimension> loops) {
    const Dimension *best = nullptr;
    for (const Dimension &loop : loops)
      if (!best || atLeast(loop.extent) >= s.machine.tasks / 2 ||
          atLeast(loop.extent) > atLeast(best->extent))
        best = &loop;
    return best;
  }

  static SmallVector<StringRef> namesOf(ArrayRef<Dimension> dimensions) {
    SmallVector<StringRef> names;
    for (const Dimension &dimension : dimensions)
      names.push_back(dimension.name);
    return names;
  }

  // The last dimension is part of a row.
  void scheduleRows() {
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
      stage.split(row.name, "block", "row", steps, tailOf(row.extent, steps));
      order.append({"row", "block"});
      if (row.name == loop)
        loop = "row";
    }
    stage.reorder(order);
    if (!columns.empty())
      vectorize(stage, columns.front().name, columns.front().extent);
    if (parallel && isWorthTasks())
      stage.parallel("block");
    scheduleInside(loop, /*isStrip=*/false);
  }

  int64_t rowsOfTask(SizeAttr all) {
    int64_t ofRow = 1;
    for (const Dimension &column : columns)
      ofRow = product(ofRow, atLeast(column.extent));
    return blockOf(all, ofRow);
  }

  // The last dimension counts rows: a strip of them at a time. Strips with
  // something inside are whole, so that what is kept of them has one size: the
  // last may do again what the one before has done.
  void scheduleStrips() {
    SizeAttr extent = rows.front().extent;
    if (inside.empty()) {
      auto stage = s.pure(name);
      if (const Dimension *across = findTransposed())
        return scheduleTransposition(stage, *across);
      if (SmallVector<int64_t> periods = findPeriods(); !periods.empty())
        return schedulePeriods(stage, periods);
      return scheduleStrip(stage, s.machine.taskElements,
                           leavesOne(extent, lanes) ? Tail::ShiftInwards
                                                    : Tail::GuardWithIf);
    }
    if (extent.asNumber()) {
      auto stage = s.pure(name);
      scheduleStrip(stage, stripWidth(), Tail::ShiftInwards);
    } else {
      // The widest first; Halide takes no case twice.
      SmallVector<int64_t> widths{stripWidth()};
      if (widths.front() != lanes)
        widths.push_back(lanes);
      for (int64_t width : widths)
        s.specializeAtLeast(name, extent, width, [&](Scheduler::Stage &stage) {
          scheduleStrip(stage, width, Tail::ShiftInwards);
        });
      auto stage = s.pure(name);
      scheduleStrip(stage, 1, Tail::Auto);
    }
    scheduleInside(stripLoop(), /*isStrip=*/true);
  }

  // As wide as a first cache has room for what is kept of a strip.
  int64_t stripWidth() {
    int64_t kept = 1;
    for (FuncOp callee : inside) {
      if (!callee->hasAttr(kExtentsAttr) || callee.getRank() == 0)
        continue;
      int64_t ofRow = 1;
      Sizes extents = extentsOf(callee);
      for (SizeAttr extent : ArrayRef(extents).drop_front())
        ofRow *=
            std::min(extent.asNumber().value_or(1), s.machine.taskElements);
      kept = std::max(kept, ofRow);
    }
    return std::clamp(s.machine.taskElements / kept / lanes * lanes, lanes,
                      s.machine.stripWidth);
  }

  // Whether the last dimension is cut into several strips.
  bool isCut(int64_t width) { return atLeast(rows.front().extent) > width; }

  // The loop that goes over strips, or what is there without them.
  StringRef stripLoop() {
    if (isCut(stripWidth()))
      return kStrip;
    return rows.size() > 1 ? StringRef(rows[1].name) : StringRef();
  }

  // Numbers that coordinates along the last dimension are divided by, the
  // largest first, each of which divides the one before.
  SmallVector<int64_t> findPeriods() {
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
      if (!whole || period < s.machine.lanes || *whole % period)
        return {};
      whole = period;
    }
    return periods;
  }

  // Loops over whole periods, in which quotients are constant and remainders
  // count elements: then what is read lies side by side.
  void schedulePeriods(Scheduler::Stage &stage, ArrayRef<int64_t> periods) {
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

  void scheduleStrip(Scheduler::Stage &stage, int64_t width, Tail tail) {
    const Dimension &last = rows.front();
    SmallVector<StringRef> order = namesOf(columns);
    std::vector<Dimension> loops;
    Dimension lane = last;
    if (isCut(width)) {
      lane = {"lane", SizeAttr::number(func.getContext(), width)};
      bool divides = tailOf(last.extent, width) == Tail::Auto;
      stage.split(last.name, kStrip, "lane", width,
                  divides ? Tail::Auto : tail);
      loops.push_back({kStrip.str(), ceilDiv(last.extent, width)});
    }
    order.insert(order.begin(), lane.name);
    loops.insert(loops.end(), rows.begin() + 1, rows.end());
    llvm::append_range(order, namesOf(loops));
    stage.reorder(order);
    vectorize(stage, lane.name, lane.extent);
    int64_t elements = atLeast(lane.extent);
    for (const Dimension &column : columns)
      elements = product(elements, atLeast(column.extent));
    scheduleTasks(stage, loops, elements);
  }

  // One of the loops, which stand innermost first, in parallel: in blocks where
  // its steps are small. Inside of all is a loop of `elements`.
  void scheduleTasks(Scheduler::Stage &stage, ArrayRef<Dimension> loops,
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
    stage.split(parallel->name, "block", "step", steps,
                tailOf(parallel->extent, steps));
    stage.parallel("block");
  }

  // Steps of a loop, each of so many elements, that are a task.
  int64_t blockOf(SizeAttr steps, int64_t elements) {
    int64_t most = std::max(s.machine.rowBlock,
                            steps.asNumber().value_or(0) / s.machine.tasks);
    return std::clamp<int64_t>(s.machine.longTaskElements / elements, 1, most);
  }

  //===-- Transpositions --------------------------------------------------===//

  // A dimension along which elements of an input lie side by side, where those
  // of the output do not.
  const Dimension *findTransposed() {
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
    return found && atLeast(found->extent) >= kTile &&
                   atLeast(rows.front().extent) >= kTile
               ? found
               : nullptr;
  }

  // Square tiles, of whole cache lines on both sides. Their elements are moved
  // one by one, which is faster than to gather vectors of them.
  void scheduleTransposition(Scheduler::Stage &stage, const Dimension &across) {
    const Dimension &last = rows.front();
    auto tail = [&](const Dimension &dimension) {
      return tailOf(dimension.extent, kTile);
    };
    stage.split(last.name, kStrip, "lane", kTile, tail(last));
    stage.split(across.name, "across", "inner", kTile, tail(across));
    std::vector<Dimension> loops{{kStrip.str(), ceilDiv(last.extent, kTile)},
                                 {"across", ceilDiv(across.extent, kTile)}};
    for (const Dimension &row : ArrayRef(rows).drop_front())
      if (&row != &across)
        loops.push_back(row);
    SmallVector<StringRef> order{"lane", "inner"};
    llvm::append_range(order, namesOf(loops));
    stage.reorder(order);
    const Dimension *parallel = chooseParallel(loops);
    if (isWorthTasks())
      stage.parallel(parallel->name);
  }

  //===-- What is computed inside -----------------------------------------===//

  void scheduleInside(StringRef loop, bool isStrip) {
    for (FuncOp callee : inside) {
      StringRef inner = callee.getSymName();
      if (callee->hasAttr(kLanesAttr) && callee.getRank() > 1) {
        scheduleLanes(callee);
        continue;
      }
      if (loop.empty())
        s.computeRoot(inner);
      else
        s.computeAt(inner, name, loop);
      // Halide takes more than 16 KB of other stack memory from the heap.
      s.storeIn(inner, Memory::Register);
      if (callee->hasAttr(kLanesAttr))
        scheduleLanes(callee);
      else if (callee.getRank() > 0)
        scheduleElements(callee, isStrip);
    }
  }

  void scheduleLanes(FuncOp partial) {
    StringRef inner = partial.getSymName();
    int64_t lanes =
        s.machine.partialLanesOf(bytesOfElement(partial.getElementType()));
    int64_t width = partial->getAttrOfType<IntegerAttr>(kLanesAttr).getInt();
    // For one element of the result at a time.
    if (partial.getRank() > 1) {
      auto fold = partial->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
      auto var = cast<StringAttr>(partial.getVars()[1]);
      s.computeAt(inner, fold.getValue(), var.getValue());
      s.storeIn(inner, Memory::Register);
    }
    s.boundExtent(inner, "lane", width);
    s.pure(inner).vectorize("lane", lanes).unroll("lane");
    if (!s.update(inner))
      return;
    s.updateOf(inner)
        .reorder(updateOrder(inner, "lane"))
        .vectorize("lane", lanes)
        .unroll("lane");
    // What is left of the row, in the order of its loops.
    if (s.updateCount(inner) > 1)
      s.updateOf(inner, 1).reorder(updateOrder(inner, ""));
  }

  // The variable, if any, innermost, then those of the reduction domain.
  SmallVector<StringRef> updateOrder(StringRef inner, StringRef var) {
    SmallVector<StringRef> order;
    if (!var.empty())
      order.push_back(var);
    for (StringRef reduction :
         s.update(inner).getReductionVars().getAsValueRange<StringAttr>())
      order.push_back(reduction);
    return order;
  }

  // Whether a func adds partial sums in lanes.
  bool hasLanes(FuncOp fold) {
    return llvm::any_of(inside, [&](FuncOp callee) {
      auto attribute = callee->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
      return attribute && attribute.getValue() == fold.getSymName();
    });
  }

  void scheduleElements(FuncOp callee, bool isStrip) {
    if (hasLanes(callee))
      return;
    StringRef inner = callee.getSymName();
    StringRef var = cast<StringAttr>(callee.getVars()[0]).getValue();
    SizeAttr extent = extentsOf(callee)[0];
    if (isStrip && extent == rows.front().extent && extent.asNumber() &&
        isCut(stripWidth()))
      extent = SizeAttr::number(func.getContext(), stripWidth());
    // Of a vector that ends past what is kept, Halide 14 takes the guard for
    // one that always holds.
    std::optional<int64_t> kept = extent.asNumber();
    if (kept && *kept % vectorOf(extent))
      s.alignStorage(inner, var, vectorOf(extent));
    auto pure = s.pure(inner);
    vectorize(pure, var, extent);
    if (!s.update(inner))
      return;
    auto update = s.updateOf(inner);
    if (vectorOf(extent) > 1)
      update.reorder(updateOrder(inner, var));
    vectorizeUpdate(update, var, extent);
  }

  static constexpr int64_t kUnknown = int64_t(1) << 40;
  static constexpr StringLiteral kStrip = "strip";
  static constexpr int64_t kTile = 16;

  Scheduler &s;
  FuncOp func;
  StringRef name;
  SmallVector<FuncOp> inside;
  std::vector<Dimension> rows, columns; ///< innermost first
  SizeAttr elements = SizeAttr::number(func.getContext(), 1);
  int64_t lanes; ///< of vectors
  int64_t work;  ///< elements that are computed or read
};

} // namespace

void heddle::scheduleGeneric(Scheduler &s, OutputOp output) {
  GenericScheduler(s, output).run();
}
