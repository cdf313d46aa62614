// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How pipelines run on a device: each strategy is in the file of its name. What
// loops over blocks and threads mean is in Translate/MapThreads.h.

#ifndef HEDDLE_COMPILER_SCHEDULE_GPU_STRATEGIES_H
#define HEDDLE_COMPILER_SCHEDULE_GPU_STRATEGIES_H

#include "compiler/Schedule/Scheduler.h"

namespace heddle::gpu {

/// A task of attention, by one block.
void scheduleAttention(Scheduler &s, halide::OutputOp output);
/// A group of heddle.generic: row by row, or element by element.
void scheduleGeneric(Scheduler &s, halide::OutputOp output);
/// A contraction of activations, whose sums `accumulator` is one of.
void scheduleProduct(Scheduler &s, halide::OutputOp output,
                     halide::FuncOp accumulator);
/// The scatter of tokens into a cache.
void scheduleScatter(Scheduler &s, halide::OutputOp output);

} // namespace heddle::gpu

#endif // HEDDLE_COMPILER_SCHEDULE_GPU_STRATEGIES_H
