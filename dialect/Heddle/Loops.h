// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_LOOPS_H
#define HEDDLE_DIALECT_HEDDLE_LOOPS_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace heddle {

/// Whether a loop carries `tensor` round and its body hands `next` on in its
/// place, and to nobody else.
inline bool replacesCarried(mlir::Value next, mlir::Value tensor) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor);
  if (!argument || !next.hasOneUse())
    return false;
  auto loop = mlir::dyn_cast_or_null<mlir::LoopLikeOpInterface>(
      argument.getOwner()->getParentOp());
  return loop &&
         loop.getTiedLoopYieldedValue(argument) == &*next.getUses().begin();
}

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_LOOPS_H
