// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scheduling strategies share: the funcs of a pipeline and a short way
// to write directives.

#ifndef HEDDLE_COMPILER_SCHEDULE_SCHEDULER_H
#define HEDDLE_COMPILER_SCHEDULE_SCHEDULER_H

#include "compiler/Target/MachineModel.h"
#include "dialect/Halide/HalideDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {

class Scheduler {
public:
  Scheduler(halide::PipelineOp pipeline, const MachineModel &machine);

  const MachineModel &machine;
  /// The pipeline's.
  mlir::Attribute configuration;
  /// f32 in a vector.
  int64_t lanes;

  //===-- The algorithm ---------------------------------------------------===//

  halide::FuncOp func(llvm::StringRef name) const {
    return funcs.find(name)->second;
  }
  bool has(llvm::StringRef func) const { return funcs.contains(func); }
  /// Visits all funcs in the order of the pipeline.
  void forEach(llvm::function_ref<void(halide::FuncOp)> visit) const;
  llvm::ArrayRef<halide::OutputOp> outputs() const { return outputOps; }
  halide::UpdateOp update(llvm::StringRef name) const {
    auto found = updates.find(name);
    return found == updates.end() ? nullptr : found->second;
  }
  bool isStored(llvm::StringRef name) const;

  /// Funcs with updates or with rows that are kept that `root` needs and that
  /// are not stored: what has to be computed inside its loops. Consumers come
  /// first.
  llvm::SmallVector<halide::FuncOp> computedInside(halide::FuncOp root) const;

  //===-- Directives, named and ordered as Halide's -----------------------===//

  /// A stage of a func: its pure definition, or its update.
  class Stage {
  public:
    Stage(Scheduler &s, llvm::StringRef func, std::optional<int64_t> update)
        : s(s), func(func.str()), update(update) {}
    Stage &split(llvm::StringRef old, llvm::StringRef outer,
                 llvm::StringRef inner, int64_t factor,
                 halide::Tail tail = halide::Tail::Auto);
    Stage &fuse(llvm::StringRef inner, llvm::StringRef outer,
                llvm::StringRef fused);
    Stage &reorder(llvm::ArrayRef<llvm::StringRef> vars);
    Stage &rename(llvm::StringRef old, llvm::StringRef name);
    Stage &vectorize(llvm::StringRef var, int64_t factor,
                     halide::Tail tail = halide::Tail::Auto);
    Stage &unroll(llvm::StringRef var);
    Stage &unroll(llvm::StringRef var, int64_t factor);
    Stage &parallel(llvm::StringRef var);
    /// Steps of these loops, the innermost first, are blocks of a device.
    Stage &gpuBlocks(llvm::ArrayRef<llvm::StringRef> vars);
    /// They are dealt out to the threads of a block.
    Stage &gpuThreads(llvm::ArrayRef<llvm::StringRef> vars);
    Stage &atomic();
    Stage &allowRaceConditions();

  private:
    friend class Scheduler;
    mlir::IntegerAttr updateAttr() const;
    Scheduler &s;
    std::string func;
    std::optional<int64_t> update;
  };
  /// Directives that `schedule` gives hold for `stage` where `size`, a
  /// parameter of the pipeline, compares so with `value`.
  void specialize(const Stage &stage, SizeAttr size,
                  halide::Comparison comparison, int64_t value,
                  llvm::function_ref<void(Stage &)> schedule);
  /// The same where it is at least `least`.
  void specializeAtLeast(const Stage &stage, SizeAttr size, int64_t least,
                         llvm::function_ref<void(Stage &)> schedule) {
    specialize(stage, size, halide::Comparison::GreaterOrEqual, least,
               schedule);
  }
  /// Gives the pure stage of `func` directives for parts of `widest` elements
  /// of a dimension of `size`, which is not known; for parts of `vector` where
  /// those are more than it has; and for single elements.
  void
  specializeWidths(llvm::StringRef func, SizeAttr size, int64_t widest,
                   int64_t vector,
                   llvm::function_ref<void(Stage &, int64_t width)> schedule);
  Stage pure(llvm::StringRef func) { return Stage(*this, func, std::nullopt); }
  Stage updateOf(llvm::StringRef func, int64_t index = 0) {
    return Stage(*this, func, index);
  }
  void computeAt(llvm::StringRef func, llvm::StringRef consumer,
                 llvm::StringRef var);
  void computeRoot(llvm::StringRef func);
  /// Whether this has not been asked of `func` before.
  bool isFirst(llvm::StringRef func) { return seen.insert(func).second; }
  void storeIn(llvm::StringRef func, halide::Memory memory);
  /// How many updates a func has.
  unsigned updateCount(llvm::StringRef func) const {
    return updateCounts.lookup(func);
  }
  void alignStorage(llvm::StringRef func, llvm::StringRef dim,
                    int64_t alignment);
  /// All of `var`, from 0 on, whatever is needed of it.
  void bound(llvm::StringRef func, llvm::StringRef var, int64_t extent);
  void boundExtent(llvm::StringRef func, llvm::StringRef var, int64_t extent);

  /// What a split does with steps that are left over: nothing where `factor`
  /// divides `extent`.
  static halide::Tail tailOf(std::optional<int64_t> extent, int64_t factor) {
    return extent && *extent % factor == 0 ? halide::Tail::Auto
                                           : halide::Tail::GuardWithIf;
  }
  /// The widest vector, of at most `lanes`, that divides `extent`; of an extent
  /// that is not known, 1.
  int64_t vectorOf(int64_t extent) const;

private:
  friend class Stage;
  llvm::StringMap<halide::FuncOp> funcs;
  llvm::StringMap<halide::UpdateOp> updates;
  llvm::StringMap<unsigned> updateCounts;
  llvm::StringSet<> seen;
  llvm::SmallVector<halide::OutputOp> outputOps;
  mlir::OpBuilder builder;
  mlir::Location loc;
};

//===-- Strategies, each in the file of its name --------------------------===//

/// The strategies for devices, in the folder Gpu.
void scheduleOnDevice(Scheduler &s, halide::OutputOp output);

void scheduleAttention(Scheduler &s, halide::OutputOp output);
void scheduleScatter(Scheduler &s, halide::OutputOp output);
/// A group of heddle.generic, row by row.
void scheduleGeneric(Scheduler &s, halide::OutputOp output);
/// A contraction of activations, whose sums `accumulator` has.
void scheduleProduct(Scheduler &s, halide::OutputOp output,
                     halide::FuncOp accumulator);

} // namespace heddle

#endif // HEDDLE_COMPILER_SCHEDULE_SCHEDULER_H
