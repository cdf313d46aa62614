// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_SCHEDULE_PASSES_TD
#define HEDDLE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SchedulePipelines : Pass<"heddle-schedule", "mlir::ModuleOp"> {
  let summary = "gives every pipeline a schedule";
  let description = [{
    One strategy for each kind of stored func: contraction, attention, row
    reduction, scatter, and rowwise for the rest. All numbers are the machine's.
  }];
  let dependentDialects = ["halide::HalideDialect"];
  let options = [
    Option<"targetCpu", "target-cpu", "std::string", "\"x86-64-v4\"",
           "the CPU to schedule for, as LLVM names it">
  ];
}

def OverrideSchedules : Pass<"heddle-override-schedules", "mlir::ModuleOp"> {
  let summary = "schedules from a file replace the compiler's own";
  let description = [{
    Each `halide.schedule @pipeline` of the file replaces the schedule of the
    pipeline it names. A file without any, a schedule that names no pipeline and a
    second one for the same pipeline are errors.

    Halide checks schedules, but of what they promise (`bound`, `bound_extent`,
    `allow_race_conditions`, and splits whose tail is not `guard_with_if`) only what it
    can prove wrong. The first promise that is not in the compiler's own schedule is
    pointed out by a warning.
  }];
  let dependentDialects = ["halide::HalideDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "MLIR text with the schedules">
  ];
}

#endif // HEDDLE_SCHEDULE_PASSES_TD
