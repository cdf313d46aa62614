// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: where threads of a block wait for each other.

#ifndef HEDDLE_COMPILER_TRANSLATE_LIFTBARRIERS_H
#define HEDDLE_COMPILER_TRANSLATE_LIFTBARRIERS_H

#include <Halide.h>

namespace heddle {

/// All threads of a block wait for each other.
Halide::Internal::Stmt makeBarrier();
bool hasBarrier(const Halide::Internal::Stmt &statement);

/// if (c) { a; barrier; b }  ->  if (c) a; barrier; if (c) b
///
/// Every thread of a block finds the same `c`, so that barriers may stand under
/// it. But PoCL has what follows such a barrier twice, for each of them: 10 are
/// a thousand copies, and minutes of compilation. Undefined where it cannot be
/// done.
Halide::Internal::Stmt liftBarriers(const Halide::Expr &condition,
                                    const Halide::Internal::Stmt &body);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_LIFTBARRIERS_H
