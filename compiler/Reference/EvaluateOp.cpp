// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/EvaluateOp.h"

#include "compiler/Reference/Evaluate.h"

namespace heddle::reference {

llvm::Expected<Results> evaluateOp(Evaluator &evaluator, mlir::Operation &op,
                                   llvm::ArrayRef<Value> operands,
                                   const llvm::StringMap<int64_t> &symbols) {
  auto known = llvm::dyn_cast<ReferenceOpInterface>(op);
  if (!known)
    return fail(&op, "the reference evaluator does not know this op");
  Environment values;
  for (const auto &symbol : symbols)
    values.bind(symbol.getKey(), symbol.getValue());
  for (auto [name, value] : llvm::zip_equal(op.getOperands(), operands))
    values.set(name, value);
  return known.run(evaluator, values);
}

} // namespace heddle::reference
