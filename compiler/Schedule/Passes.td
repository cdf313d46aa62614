// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_SCHEDULE_PASSES_TD
#define HEDDLE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SchedulePipelines : Pass<"heddle-schedule", "mlir::ModuleOp"> {
  let summary = "gives every pipeline a schedule";
  let description = [{
    One strategy for each kind of stored func: contraction, attention, row
    reduction, scatter, and rowwise for the rest. Tiles are those of the pipeline's
    `heddle.configuration`; what is worth a task is the machine model's.
  }];
  let dependentDialects = ["halide::HalideDialect"];
}

def OverrideSchedules : Pass<"heddle-override-schedules", "mlir::ModuleOp"> {
  let summary = "schedules from a file replace the compiler's own";
  let description = [{
    Each `halide.schedule @pipeline` of the file replaces the schedule of the
    pipeline it names; its `heddle.configure` ops are for earlier passes. A file without
    any of them, a schedule that names no pipeline and a
    second one for the same pipeline are errors.

    A schedule may promise what Halide cannot see for itself: `bound`, `bound_extent`,
    and splits whose tail is not `guard_with_if`, which need a loop of at least
    `factor` steps, or room behind it. What Halide can prove wrong is an error when
    the kernel is compiled. Where there is a promise that is not in the compiler's own
    schedule, the pipeline is marked `heddle.checked`, and the kernel asserts all of
    them: calls where one does not hold fail, and nothing is written outside of
    buffers. Of `allow_race_conditions` nothing can be asserted; it has a warning.

    Loops that would become more than 4096 elements of straight code are an error.
  }];
  let dependentDialects = ["halide::HalideDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "MLIR text with the schedules">
  ];
}

#endif // HEDDLE_SCHEDULE_PASSES_TD
