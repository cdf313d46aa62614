// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_CONFIGURE_PASSES_TD
#define HEDDLE_CONFIGURE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConfigureKernels : Pass<"heddle-configure-kernels", "mlir::ModuleOp"> {
  let summary = "chooses the numbers that each kernel's loops are made with";
  let description = [{
    Each kernel gets the attribute `heddle.configuration`, which the machine model chooses
    for the module's `heddle.target` and the kernel's sizes. Lowering and schedules ask
    it. A `heddle.configure` of `file` that names a kernel replaces it.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"",
           "MLIR text with heddle.configure ops; may be empty">
  ];
}

#endif // HEDDLE_CONFIGURE_PASSES_TD
