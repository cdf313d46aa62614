// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TARGET_PASSES_TD
#define HEDDLE_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"heddle-set-target", "mlir::ModuleOp"> {
  let summary = "writes what the module is compiled for";
  let description = [{
    The module gets the attribute `heddle.target`. A module that has one keeps it if it is
    the same, and is an error otherwise.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "the CPU, as LLVM names it, with changes to its features after it">,
    Option<"device", "device", "std::string", "\"\"",
           "what runs the kernels: opencl, cuda or cuda:CHIP; the CPU where it is empty">
  ];
}

#endif // HEDDLE_TARGET_PASSES_TD
