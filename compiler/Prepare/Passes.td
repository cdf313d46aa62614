// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_PREPARE_PASSES_TD
#define HEDDLE_PREPARE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ResolveSizes : Pass<"heddle-resolve-sizes", "mlir::ModuleOp"> {
  let summary = "gives every tensor and cache the sizes of its dimensions";
  let description = [{
    The argument attribute `heddle.sizes` of functions and kernels has an expression
    (see #heddle.size) for each `?` of the type, or two for a cache: batch and
    capacity. They go into the types of arguments, and from there through
    SizesOpInterface into those of all other values. Dimensions whose size turns out
    to be a number become static.

    ```mlir
    func.func @f(%x: tensor<?x64xf32> {heddle.sizes = ["past + length"]})
    // becomes
    func.func @f(%x: tensor<?x64xf32, #heddle.sizes<"length + past">>)
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def SplitPhases : Pass<"heddle-split-phases", "mlir::ModuleOp"> {
  let summary = "one decoder becomes the entry points prefill and decode";
  let description = [{
    A function with the attribute `heddle.decoder` is cloned: `@prefill` takes any
    number of tokens, and in `@decode` the symbol that counts them is 1. The attribute
    names that symbol (`heddle.decoder = "length"`); without a name it is the one that
    counts the tokens of heddle.cache.append.
  }];
}

#endif // HEDDLE_PREPARE_PASSES_TD
