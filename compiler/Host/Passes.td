// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_HOST_PASSES_TD
#define HEDDLE_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildHost : Pass<"heddle-build-host", "mlir::ModuleOp"> {
  let summary = "entry points become functions of buffers";
  let description = [{
    For each function a module `@heddle.host` gets two: `@NAME.run` calls the kernels on
    views of arguments, weights and workspace, and `@NAME.measure` says how large
    arguments and workspace are, with overflow checked. Functions, kernels and pipelines
    stay what the host program is compared with.

    ```mlir
    %y = heddle.launch @relu(%x) : (tensor<?x64xf32>) -> tensor<?x64xf32>
    // becomes
    %in = memref.view %arguments[%c0][%n] : memref<?xi8> to memref<?x64xf32>
    %out = memref.view ...
    heddle.dispatch @relu number(0) in %frame, %room (%count, %in, %out) ...
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect",
                           "mlir::func::FuncDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect"];
}

def LowerHost : Pass<"heddle-lower-host", "mlir::ModuleOp"> {
  let summary = "the host program becomes ops of the llvm dialect";
  let description = [{
    Works on a module that `heddle-build-host` has made. Branches, arithmetic, functions
    and memrefs are left to MLIR's conversions; heddle.dispatch becomes a call of the
    kernel's function with descriptors of its buffers on the stack.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::cf::ControlFlowDialect"];
  let options = [
    Option<"prefix", "prefix", "std::string", "\"\"",
           "what names of functions begin with">
  ];
}

#endif // HEDDLE_HOST_PASSES_TD
