// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: from loops over threads to what each thread does.
//
// Halide maps such loops, too, but into kernels of its own choice: several for
// a pipeline whose results share a running sum, with whatever is computed for a
// block in shared memory, and through the LLVM that it brings. Here a statement
// is one kernel, in the order that it stands in:
//
//   - Outside of loops over threads all threads of a block do the same, and
//     what is stored in memory that they share one of them does.
//   - The steps of nested loops over threads are dealt out to the threads of a
//     block, the innermost loop's side by side. There may be more of them than
//     threads, or less.
//   - Funcs in shared memory are there once for a block. Any other is each
//     thread's own. Of one in registers that loops over threads compute each
//     thread has a part, if all of these loops, those that read it among them,
//     deal out the same elements to it, and none has more steps than there are
//     threads.
//   - Where something is read that other threads may have stored, or stored
//     what they may still read, all wait for each other.

#ifndef HEDDLE_COMPILER_TRANSLATE_MAPTHREADS_H
#define HEDDLE_COMPILER_TRANSLATE_MAPTHREADS_H

#include <Halide.h>

namespace heddle {

/// Names of variables and memory that a mapped statement uses without defining
/// them. Halide's printer of OpenCL C knows the ends of the first two.
inline constexpr const char *kThreadVariable = ".__thread_id_x";
inline constexpr const char *kBlockVariable = ".__block_id_x";
inline constexpr const char *kSharedMemory = "heddle_shared";

struct MappedBlock {
  Halide::Internal::Stmt body;
  int64_t sharedBytes = 0;
};

/// Throws MappingError.
MappedBlock mapThreads(const Halide::Internal::Stmt &body, int64_t threads);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_MAPTHREADS_H
