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

  // Vectors along a dimension; what they do not divide is done one by one.
  int64_t vectorOf(SizeAttr extent) {
    return atLeast(extent) >= s.machine.lanes ? s.machine.lanes : 1;
  }

  static Tail tailOf(SizeAttr extent, int64_t factor) {
    std::optional<int64_t> number = extent.asNumber();
    return number && *number % factor == 0 ? Tail::Auto : Tail::GuardWithIf;
  }

  void vectorize(Scheduler::Stage &stage, StringRef var, SizeAttr extent) {
    int64_t vector = vectorOf(extent);
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
  static const Dimension *chooseParallel(ArrayRef<Dimension> loops) {
    constexpr int64_t enough = 8;
    const Dimension *best = nullptr;
    for (const Dimension &loop : loops)
      if (!best || atLeast(loop.extent) >= enough ||
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
      stage.split(row.name, "block", "row", rowsOfTask(),
                  tailOf(row.extent, rowsOfTask()));
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

  int64_t rowsOfTask() {
    int64_t ofRow = 1;
    for (const Dimension &column : columns)
      ofRow = product(ofRow, atLeast(column.extent));
    return std::clamp<int64_t>(s.machine.taskElements / ofRow, 1,
                               s.machine.rowBlock);
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
      return scheduleStrip(stage, s.machine.taskElements, Tail::GuardWithIf);
    }
    if (extent.asNumber()) {
      auto stage = s.pure(name);
      scheduleStrip(stage, stripWidth(), Tail::ShiftInwards);
    } else {
      for (int64_t width : {stripWidth(), s.machine.lanes})
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
    return std::clamp(s.machine.taskElements / kept / s.machine.lanes *
                          s.machine.lanes,
                      s.machine.lanes, s.machine.stripWidth);
  }

  // Whether the last dimension is cut into several strips.
  bool isCut(int64_t width) { return atLeast(rows.front().extent) > width; }

  // The loop that goes over strips, or what is there without them.
  StringRef stripLoop() {
    if (isCut(stripWidth()))
      return kStrip;
    return rows.size() > 1 ? StringRef(rows[1].name) : StringRef();
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
    const Dimension *parallel = chooseParallel(loops);
    if (parallel && isWorthTasks())
      stage.parallel(parallel->name);
  }

  //===-- Transpositions --------------------------------------------------===//

  // A dimension along which elements of an input lie side by side, where those
  // of the output do not.
  const Dimension *findTransposed() {
    const Dimension *found = nullptr;
    func.walk([&](AccessOp access) {
      if (access.getCoordinates().empty())
        return;
      auto variable = dyn_cast<BlockArgument>(access.getCoordinates().front());
      if (variable && variable.getArgNumber() > 0)
        found = &rows[variable.getArgNumber()];
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
    int64_t lanes = s.machine.lanes;
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
    auto pure = s.pure(inner);
    vectorize(pure, var, extent);
    if (!s.update(inner))
      return;
    auto update = s.updateOf(inner);
    if (vectorOf(extent) > 1)
      update.reorder(updateOrder(inner, var));
    vectorize(update, var, extent);
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
  int64_t work; ///< elements that are computed or read
};

} // namespace

void heddle::scheduleGeneric(Scheduler &s, OutputOp output) {
  GenericScheduler(s, output).run();
}
