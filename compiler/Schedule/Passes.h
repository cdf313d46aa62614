// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From Halide algorithms to algorithms with schedules.

#ifndef HEDDLE_COMPILER_SCHEDULE_PASSES_H
#define HEDDLE_COMPILER_SCHEDULE_PASSES_H

#include "dialect/Halide/HalideDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {
#define GEN_PASS_DECL
#include "compiler/Schedule/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Schedule/Passes.h.inc"

/// Errors where a stage would become more straight code than Halide and LLVM
/// compile in reasonable time.
mlir::LogicalResult checkStraightCode(halide::ScheduleOp schedule);

} // namespace heddle

#endif // HEDDLE_COMPILER_SCHEDULE_PASSES_H
