// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values as halves of one tensor.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_JOINTPASTS_H
#define HEDDLE_COMPILER_TEXTENTRIES_JOINTPASTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Takes arguments apart that are [2, batch, heads, past, channels] of keys and
/// values before, as Attention of com.microsoft has them (`past_3`), and the
/// results that such ones go on in: `past_3` becomes `past_3.key` and
/// `past_3.value`. Types have sizes. Others stay.
void splitJointPasts(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_JOINTPASTS_H
