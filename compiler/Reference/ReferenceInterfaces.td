// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the reference has to know of an op. The models stand beside the formulas.

#ifndef HEDDLE_REFERENCE_INTERFACES_TD
#define HEDDLE_REFERENCE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Heddle_ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::heddle::reference";
  let description = [{
    Ops that the reference computes in double precision.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns a value for each result, or an error at the op. `values` has those of the
      operands. An op that holds or names other ops runs these with `evaluator`.
    }], "::llvm::Expected<::heddle::reference::Results>", "run",
        (ins "::heddle::reference::Evaluator &":$evaluator,
             "::heddle::reference::Environment &":$values)>
  ];
}

#endif // HEDDLE_REFERENCE_INTERFACES_TD
