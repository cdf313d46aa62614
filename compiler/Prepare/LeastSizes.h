// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least that sizes of a call may be, where the model does not say it.

#ifndef HEDDLE_COMPILER_PREPARE_LEASTSIZES_H
#define HEDDLE_COMPILER_PREPARE_LEASTSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Lets each symbol of `function` (kSymbolsAttr) that is not declared be 0,
/// unless an op would have no size then, an argument no value, or a loop no
/// number that ends it.
void declareLeastSizes(mlir::func::FuncOp function,
                       llvm::function_ref<bool(llvm::StringRef)> isDeclared);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_LEASTSIZES_H
