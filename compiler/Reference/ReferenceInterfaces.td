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

def Heddle_ErrorBoundOpInterface : OpInterface<"ErrorBoundOpInterface"> {
  let cppNamespace = "::heddle::reference";
  let description = [{
    Ops of which it is known how far compiled code may be from the reference. Tensors of
    other ops may be off by anything.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns for each result a bound of each element: what becomes of the `errors` of the
      operands, and the op's own roundings. An empty one says that the result is exact.
    }], "::llvm::SmallVector<::heddle::reference::Bounds>", "boundErrors",
        (ins "const ::heddle::reference::ErrorBounds &":$errors,
             "const ::heddle::reference::Environment &":$values,
             "::llvm::ArrayRef<::heddle::reference::Value>":$results),
        "", [{ return ::heddle::reference::unknownBounds(results); }]>,
    InterfaceMethod<[{
      Moves the results by the op's own roundings alone. An op that means several steps
      moves the result of each.
    }], "void", "perturb",
        (ins "::heddle::reference::Perturbation &":$perturbation,
             "const ::heddle::reference::Environment &":$values,
             "::llvm::MutableArrayRef<::heddle::reference::Value>":$results),
        "", [{ perturbation.moveByBounds($_op, values, results); }]>
  ];
}

#endif // HEDDLE_REFERENCE_INTERFACES_TD
