// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points that the library of text calls, of graphs that have others.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_TEXTENTRIES_H
#define HEDDLE_COMPILER_TEXTENTRIES_TEXTENTRIES_H

#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Adds a decoder of a cache beside @run, or an encoder of lengths, if that is
/// one. Returns what stands in the way where it looks like a decoder, but no
/// such one can be made; else nothing. `tensors` has the weights.
std::optional<std::string> addTextEntries(mlir::ModuleOp module,
                                          const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_TEXTENTRIES_H
