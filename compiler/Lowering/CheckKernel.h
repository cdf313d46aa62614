// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops allow and pipelines have no form for.

#ifndef HEDDLE_COMPILER_LOWERING_CHECKKERNEL_H
#define HEDDLE_COMPILER_LOWERING_CHECKKERNEL_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Reports what of `kernel` cannot be lowered:
/// * values that are neither rows of f32 with channels, nor i32 counts, nor
///   weights;
/// * weights that a kernel before computes, and weights as other operands;
/// * what is read from a cache and goes elsewhere than into attention.
mlir::LogicalResult checkKernel(KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_CHECKKERNEL_H
