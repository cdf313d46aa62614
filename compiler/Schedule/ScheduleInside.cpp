// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rows and strips of heddle.generic compute inside of their loops:
// reductions and elements that several of them need.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/GenericScheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

void GenericScheduler::scheduleInside(StringRef loop, bool isStrip) {
  for (FuncOp callee : inside) {
    StringRef inner = callee.getSymName();
    // Several results may be made of what is computed once for all of them.
    if (loop.empty() && !s.isFirst(inner))
      continue;
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

void GenericScheduler::scheduleLanes(FuncOp partial) {
  StringRef inner = partial.getSymName();
  int64_t lanes =
      partialLanesOf(s.lanes, bytesOfElement(partial.getElementType()));
  int64_t width = partial->getAttrOfType<IntegerAttr>(kLanesAttr).getInt();
  // For one element of the result at a time.
  if (partial.getRank() > 1) {
    auto fold = partial->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
    auto var = cast<StringAttr>(partial.getVars()[1]);
    s.computeAt(inner, fold.getValue(), var.getValue());
    s.storeIn(inner, Memory::Register);
  }
  s.boundExtent(inner, kLaneVar, width);
  s.pure(inner).vectorize(kLaneVar, lanes).unroll(kLaneVar);
  if (!s.update(inner))
    return;
  s.updateOf(inner)
      .reorder(updateOrder(inner, kLaneVar))
      .vectorize(kLaneVar, lanes)
      .unroll(kLaneVar);
  // What is left of the row, in the order of its loops.
  if (s.updateCount(inner) > 1)
    s.updateOf(inner, 1).reorder(updateOrder(inner, ""));
}

SmallVector<StringRef> GenericScheduler::updateOrder(StringRef inner,
                                                     StringRef var) {
  SmallVector<StringRef> order;
  if (!var.empty())
    order.push_back(var);
  for (StringRef reduction :
       s.update(inner).getReductionVars().getAsValueRange<StringAttr>())
    order.push_back(reduction);
  return order;
}

bool GenericScheduler::hasLanes(FuncOp fold) {
  return llvm::any_of(inside, [&](FuncOp callee) {
    auto attribute = callee->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
    return attribute && attribute.getValue() == fold.getSymName();
  });
}

void GenericScheduler::scheduleElements(FuncOp callee, bool isStrip) {
  if (hasLanes(callee))
    return;
  StringRef inner = callee.getSymName();
  StringRef var = cast<StringAttr>(callee.getVars()[0]).getValue();
  SizeAttr extent = extentsOf(callee)[0];
  bool isRowOfGroup = isRow(callee, var);
  // Of rows, loops have one at a time, but for those that strips are made of.
  if (isRowOfGroup && !(isStrip && countsLast(callee, var)))
    extent = SizeAttr::number(func.getContext(), 1);
  else if (isRowOfGroup && extent.asNumber() && isCut(stripWidth()))
    extent = SizeAttr::number(func.getContext(), stripWidth());
  // Of elements readers may need a part, which vectors would reach beyond.
  else if (!isRowOfGroup && extent.asNumber() && vectorOf(extent) > 1)
    s.bound(inner, var, *extent.asNumber());
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
