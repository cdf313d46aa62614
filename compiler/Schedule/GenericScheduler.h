// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy for heddle.generic: rows in ScheduleGeneric.cpp, strips of rows
// in ScheduleStrips.cpp, and in ScheduleInside.cpp what either computes inside.

#ifndef HEDDLE_COMPILER_SCHEDULE_GENERICSCHEDULER_H
#define HEDDLE_COMPILER_SCHEDULE_GENERICSCHEDULER_H

#include "compiler/Schedule/Scheduler.h"

namespace heddle {

class GenericScheduler {
public:
  GenericScheduler(Scheduler &s, halide::OutputOp output);

  void run();

private:
  struct Dimension {
    std::string name;
    SizeAttr extent;
  };

  //===-- Numbers ---------------------------------------------------------===//

  static Sizes extentsOf(halide::FuncOp func);
  /// Whether a variable counts rows of the group (RowGroup.h).
  static bool isRow(halide::FuncOp func, llvm::StringRef var);
  /// Whether a variable counts the rows that the last dimension of the output
  /// does.
  bool countsLast(halide::FuncOp callee, llvm::StringRef var);
  /// Of a number that is not known, that it is large.
  static int64_t atLeast(SizeAttr size);
  /// Of two numbers from 1 to kUnknown, and no more than that.
  static int64_t product(int64_t a, int64_t b);
  /// Vectors along a dimension: of short ones they are narrower, or none.
  int64_t vectorOf(SizeAttr extent);
  /// The bytes of the widest number that elements are made of.
  int64_t widestBytes();
  static bool leavesOne(SizeAttr extent, int64_t factor);
  static halide::Tail tailOf(SizeAttr extent, int64_t factor);
  /// How many elements each one of a reduction's result is made of.
  int64_t termsOf(halide::FuncOp callee);
  bool isWorthTasks();
  static llvm::SmallVector<llvm::StringRef>
  namesOf(llvm::ArrayRef<Dimension> dimensions);
  /// Steps of a loop, each of so many elements, that are a task.
  int64_t blockOf(SizeAttr steps, int64_t elements);

  //===-- Loops and rows --------------------------------------------------===//

  void vectorize(Scheduler::Stage &stage, llvm::StringRef var, SizeAttr extent);
  void vectorizeUpdate(Scheduler::Stage &stage, llvm::StringRef var,
                       SizeAttr extent);
  /// Which of `loops`, innermost first, is worth running in parallel.
  const Dimension *chooseParallel(llvm::ArrayRef<Dimension> loops);
  /// The last dimension is part of a row.
  void scheduleRows();
  int64_t rowsOfTask(SizeAttr all);
  /// One of the loops, innermost first, in parallel; inside of all is a loop of
  /// `elements`.
  void scheduleTasks(Scheduler::Stage &stage, llvm::ArrayRef<Dimension> loops,
                     int64_t elements);

  //===-- Strips ----------------------------------------------------------===//

  /// The last dimension counts rows: a strip of them at a time.
  void scheduleStrips();
  /// As wide as what is kept of a strip takes no more memory than the elements
  /// of a task.
  int64_t stripWidth();
  /// Whether the last dimension is cut into several strips.
  bool isCut(int64_t width);
  /// The loop that goes over strips, or what is there without them.
  llvm::StringRef stripLoop();
  /// Numbers that coordinates along the last dimension are divided by, the
  /// largest first, each of which divides the one before.
  llvm::SmallVector<int64_t> findPeriods();
  void schedulePeriods(Scheduler::Stage &stage,
                       llvm::ArrayRef<int64_t> periods);
  void scheduleStrip(Scheduler::Stage &stage, int64_t width, halide::Tail tail);
  /// Strides of 0 or 1 along the last dimension: those of inputs that may be
  /// broadcast.
  llvm::SmallVector<SizeAttr> findStrides();
  /// A case of the schedule for each value of `strides`.
  void
  specializeStrides(llvm::ArrayRef<SizeAttr> strides,
                    llvm::function_ref<void(Scheduler::Stage &stage)> schedule);
  /// A dimension along which elements of an input lie side by side, where those
  /// of the output do not.
  const Dimension *findTransposed();
  void scheduleTransposition(Scheduler::Stage &stage, const Dimension &across);

  //===-- What is computed inside -----------------------------------------===//

  /// What is computed for each step of `loop`, or once where it is empty.
  void scheduleInside(llvm::StringRef loop, bool isStrip);
  void scheduleLanes(halide::FuncOp partial);
  /// The variable, if any, innermost, then those of the reduction domain.
  llvm::SmallVector<llvm::StringRef> updateOrder(llvm::StringRef inner,
                                                 llvm::StringRef var);
  /// Whether a func adds partial sums in lanes.
  bool hasLanes(halide::FuncOp fold);
  void scheduleElements(halide::FuncOp callee, bool isStrip);

  static constexpr int64_t kUnknown = int64_t(1) << 40;

  Scheduler &s;
  RowTilesAttr tiles;
  halide::FuncOp func;
  llvm::StringRef name;
  llvm::SmallVector<halide::FuncOp> inside;
  std::vector<Dimension> rows, columns; ///< innermost first
  SizeAttr elements = SizeAttr::number(func.getContext(), 1);
  int64_t lanes; ///< of vectors
  int64_t work;  ///< elements that are computed or read
};

} // namespace heddle

#endif // HEDDLE_COMPILER_SCHEDULE_GENERICSCHEDULER_H
