// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic on a device:
//
// Element by element                   Row by row
//   thread for a few elements            block for each row
//     what each of them needs              partial sums of the row, by threads
//                                          what is made of them, by each thread
//                                          threads for the row's elements

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Gpu/Strategies.h"
#include "compiler/Schedule/LoopNames.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

namespace {

class GenericScheduler {
public:
  GenericScheduler(Scheduler &s, OutputOp output)
      : s(s), func(s.func(output.getFunc())), name(func.getSymName()),
        inside(s.computedInside(func)) {}

  void run() {
    if (!isByRows() && func.getRank() > 0)
      return scheduleElements();
    // A row that is all there is takes one block.
    StringRef block = scheduleRows();
    for (FuncOp callee : inside)
      scheduleInside(callee, block);
  }

private:
  // What a thread has room for.
  static constexpr int64_t kLargestOwn = 16;
  static constexpr int64_t kUnknown = 1 << 20;

  static SmallVector<StringRef> varsOf(FuncOp func) {
    return llvm::to_vector(func.getVars().getAsValueRange<StringAttr>());
  }

  static bool isRow(FuncOp func, StringRef var) {
    auto rows = func->getAttrOfType<ArrayAttr>(kRowsAttr);
    return rows && llvm::is_contained(rows.getAsValueRange<StringAttr>(), var);
  }

  static SmallVector<StringRef> columnsOf(FuncOp func) {
    return llvm::filter_to_vector(
        varsOf(func), [&](StringRef var) { return !isRow(func, var); });
  }

  // Elements of a row; of partial sums, of one element that they are made for.
  static int64_t rowElements(FuncOp func) {
    if (!func->hasAttr(kExtentsAttr))
      return 1;
    Sizes extents = toSizes(func->getAttrOfType<ArrayAttr>(kExtentsAttr));
    int64_t elements = 1;
    for (auto [var, extent] : llvm::zip_equal(varsOf(func), extents))
      if (!isRow(func, var))
        elements *= extent.asNumber().value_or(kUnknown);
    return elements;
  }

  bool isByRows() {
    return llvm::any_of(inside, [](FuncOp callee) {
      return callee->hasAttr(kLanesAttr) || rowElements(callee) > kLargestOwn;
    });
  }

  void scheduleElements() {
    SmallVector<StringRef> vars = varsOf(func);
    s.pure(name).gpuThreads(vars);
    for (FuncOp callee : inside) {
      s.computeAt(callee.getSymName(), name, vars.front());
      s.storeIn(callee.getSymName(), Memory::Register);
    }
  }

  // The innermost loop over blocks; empty where there is one row.
  StringRef scheduleRows() {
    SmallVector<StringRef> columns = columnsOf(func);
    SmallVector<StringRef> outer = llvm::filter_to_vector(
        varsOf(func), [&](StringRef var) { return isRow(func, var); });
    auto stage = s.pure(name);
    SmallVector<StringRef> order = columns;
    llvm::append_range(order, outer);
    if (order.size() > 1)
      stage.reorder(order);
    stage.gpuBlocks(outer).gpuThreads(columns);
    return outer.empty() ? StringRef() : outer.front();
  }

  bool hasLanes(FuncOp fold) {
    return llvm::any_of(inside, [&](FuncOp callee) {
      auto attribute = callee->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
      return attribute && attribute.getValue() == fold.getSymName();
    });
  }

  void scheduleInside(FuncOp callee, StringRef block) {
    StringRef inner = callee.getSymName();
    if (block.empty() && !s.isFirst(inner))
      return;
    if (callee->hasAttr(kLanesAttr))
      return scheduleLanes(callee, block);
    if (block.empty())
      s.computeRoot(inner);
    else
      s.computeAt(inner, name, block);
    // What a row has once each thread has for itself.
    if (rowElements(callee) == 1) {
      s.storeIn(inner, Memory::Register);
      return;
    }
    SmallVector<StringRef> columns = columnsOf(callee);
    s.storeIn(inner, Memory::GPUShared);
    if (hasLanes(callee))
      return;
    s.pure(inner).gpuThreads(columns);
    for (unsigned number = 0; number < s.updateCount(inner); ++number)
      s.updateOf(inner, number).gpuThreads(columns);
  }

  void scheduleLanes(FuncOp partial, StringRef block) {
    StringRef inner = partial.getSymName();
    int64_t width = partial->getAttrOfType<IntegerAttr>(kLanesAttr).getInt();
    if (partial.getRank() > 1) {
      auto fold = partial->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
      auto var = cast<StringAttr>(partial.getVars()[1]);
      s.computeAt(inner, fold.getValue(), var.getValue());
    } else if (block.empty()) {
      s.computeRoot(inner);
    } else {
      s.computeAt(inner, name, block);
    }
    s.storeIn(inner, Memory::GPUShared);
    s.boundExtent(inner, kLaneVar, width);
    s.pure(inner).gpuThreads(kLaneVar);
    if (!s.update(inner))
      return;
    s.updateOf(inner).gpuThreads(kLaneVar);
    // What is left of the row counts its lanes with the first loop of its own.
    if (s.updateCount(inner) > 1) {
      auto update = s.updateOf(inner, 1);
      auto loops = llvm::to_vector(
          s.update(inner).getReductionVars().getAsValueRange<StringAttr>());
      if (loops.size() > 1) {
        std::rotate(loops.begin(), loops.begin() + 1, loops.end());
        update.reorder(loops);
      }
      update.gpuThreads(loops.back());
    }
  }

  Scheduler &s;
  FuncOp func;
  StringRef name;
  SmallVector<FuncOp> inside;
};

} // namespace

void heddle::gpu::scheduleGeneric(Scheduler &s, OutputOp output) {
  GenericScheduler(s, output).run();
}
