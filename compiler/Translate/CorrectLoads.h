// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Halide 14 assumes of memory that kernels read.

#ifndef HEDDLE_COMPILER_TRANSLATE_CORRECTLOADS_H
#define HEDDLE_COMPILER_TRANSLATE_CORRECTLOADS_H

#include <Halide.h>

namespace heddle {

/// Lets lowered code of `pipeline`, which computes `outputs`,
///   - read all floats strictly. Loads that a mask guards are calls to LLVM, to
///   which Halide adds its promise that there are no NaNs; and LLVM 14 drops
///   comparisons with what is promised to be none.
///   - read outputs that others are made of as the caller's memory. Halide
///   takes it for its own, which is aligned to vectors and has room past its
///   end.
///   - read every second element, or fewer, of any memory from the first to the
///   last. Halide may begin before the first, and end past the last where it
///   takes the memory for its own, of which the stack has no room there.
void correctLoads(Halide::Pipeline &pipeline,
                  const std::vector<Halide::Func> &outputs);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_CORRECTLOADS_H
