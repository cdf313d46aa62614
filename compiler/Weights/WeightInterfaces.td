// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How weights that follow from others are computed when they are packed.

#ifndef HEDDLE_WEIGHT_INTERFACES_TD
#define HEDDLE_WEIGHT_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Heddle_WeightExpressionOpInterface : OpInterface<"WeightExpressionOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Ops that may stand in the body of a heddle.weight. They are computed box by box, so that
    no more of a weight is in memory than is being packed. Numbers that an op computes
    are doubles; elements that it only moves stay as they are stored.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the op, of these types, can be computed.
    }], "bool", "canReadBox", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
      Returns the elements of `box` of a result. `reader` has those of operands.
    }], "::llvm::Expected<::heddle::ElementBlock>", "readBox",
        (ins "unsigned":$result, "const ::heddle::Box &":$box,
             "::heddle::BoxEvaluation &":$reader)>
  ];
}

#endif // HEDDLE_WEIGHT_INTERFACES_TD
