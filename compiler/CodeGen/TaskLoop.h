// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the tasks of a pipeline that computes one (halide.task).

#ifndef HEDDLE_COMPILER_CODEGEN_TASKLOOP_H
#define HEDDLE_COMPILER_CODEGEN_TASKLOOP_H

#include "dialect/Halide/HalideDialect.h"

#include "llvm/IR/Module.h"

#include <optional>

namespace heddle {

/// Where the arguments of a compiled pipeline are, counted from 0, the caller's
/// context: its task, the number of tasks, and how many run in order.
struct TaskArguments {
  unsigned task, count;
  std::optional<unsigned> inOrder;

  /// None of a pipeline without tasks.
  static std::optional<TaskArguments> of(halide::PipelineOp pipeline);
};

/// Puts in the place of function `kernel`, which computes a task, one that runs
/// all tasks by halide_do_par_for. It has the same parameters but `task`.
void addTaskLoop(llvm::Module &module, llvm::StringRef kernel,
                 TaskArguments arguments);

/// The same where `kernel` has launched all tasks on a device.
void dropTask(llvm::Module &module, llvm::StringRef kernel,
              TaskArguments arguments);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_TASKLOOP_H
