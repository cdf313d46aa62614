// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of the stack the loops of a kernel take.

#ifndef HEDDLE_COMPILER_TRANSLATE_CHECKSTACK_H
#define HEDDLE_COMPILER_TRANSLATE_CHECKSTACK_H

#include <Halide.h>

#include <cstdint>

namespace heddle {

/// The most bytes that funcs of `module` have on the stack at once; the largest
/// number where that is not known.
int64_t stackBytes(const Halide::Module &module);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_CHECKSTACK_H
