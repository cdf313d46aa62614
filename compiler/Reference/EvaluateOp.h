// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_REFERENCE_EVALUATEOP_H
#define HEDDLE_COMPILER_REFERENCE_EVALUATEOP_H

#include "compiler/Reference/Evaluator.h"

namespace heddle::reference {

/// Runs one op on the values of its operands; `symbols` are those of sizes.
llvm::Expected<Evaluator::Results>
evaluateOp(Evaluator &evaluator, mlir::Operation &op,
           llvm::ArrayRef<Value> operands,
           const llvm::StringMap<int64_t> &symbols);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_EVALUATEOP_H
