// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule promises of the extents of funcs.

#ifndef HEDDLE_COMPILER_TRANSLATE_CHECKPROMISES_H
#define HEDDLE_COMPILER_TRANSLATE_CHECKPROMISES_H

#include <Halide.h>

#include <string>

namespace heddle {

/// The first assertion left in `module` that a func is computed only for what
/// `bound` and `bound_extent` say, with its condition; empty where Halide has
/// proven all of them. Kernels have no assertions (Target::NoAsserts), so that
/// one which does not hold would be a wrong result without an error.
std::string unprovenPromise(const Halide::Module &module);
std::string unprovenPromise(const Halide::Internal::Stmt &statement);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_CHECKPROMISES_H
