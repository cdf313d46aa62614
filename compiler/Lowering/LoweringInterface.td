// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What ops of kernels become. The models stand in the files of their lowerings.

#ifndef HEDDLE_LOWERING_INTERFACE_TD
#define HEDDLE_LOWERING_INTERFACE_TD

include "mlir/IR/OpBase.td"

def Heddle_LoweringOpInterface : OpInterface<"LoweringOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Ops that a kernel may hold.
  }];
  let methods = [
    InterfaceMethod<[{
      Adds what the op means to the pipeline under construction, and tells the builder
      what holds its results. Its operands have been lowered.
    }], "void", "lower", (ins "::heddle::KernelBuilder &":$k)>
  ];
}

#endif // HEDDLE_LOWERING_INTERFACE_TD
