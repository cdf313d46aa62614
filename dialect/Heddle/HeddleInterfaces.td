// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the compiler has to know of an op.

#ifndef HEDDLE_INTERFACES_TD
#define HEDDLE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Heddle_SizesOpInterface : OpInterface<"SizesOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    The sizes of results, as expressions, and which sizes of operands must be equal.
    Models without it cannot be compiled: there is no default.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends the sizes of each result (empty for a mask) to `results`. The types of
      operands have their sizes already. Reports operands whose sizes do not fit.
    }], "::llvm::LogicalResult", "inferSizes",
        (ins "::llvm::SmallVectorImpl<::heddle::Sizes> &":$results)>
  ];
}

#endif // HEDDLE_INTERFACES_TD
