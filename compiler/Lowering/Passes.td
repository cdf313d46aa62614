// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_LOWERING_PASSES_TD
#define HEDDLE_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernels : Pass<"heddle-lower-kernels", "mlir::ModuleOp"> {
  let summary = "each heddle.kernel gets a halide.pipeline of the same name";
  let description = [{
    The pipeline has the algorithm alone: funcs over the dimensions of tensors, the last
    one first. The kernel's `heddle.configuration` says what tiles attention has and how
    deep a sum may be; the pipeline has it, too. The kernels stay, as what the pipelines
    are checked against.
  }];
  let dependentDialects = ["halide::HalideDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];}

def ExpandMath : Pass<"heddle-expand-math"> {
  let summary = "functions of scalars become arithmetic that Halide vectorises";
  let description = [{
    `math` ops on f32 scalars, and arith.remf, become `arith` ops with halide.strict,
    and `math` ops that CPUs have instructions for; bf16 and f16 are computed with in
    f32, and rounded. Those on f64 call the C library (halide.call). Floats of eight
    bits, which are only stored, are converted by their bits. Ops on tensors and vectors
    stay as they are.

    compiler/Reference/MathErrors.h says how far each function is off.
  }];
  let dependentDialects = ["halide::HalideDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];
}

#endif // HEDDLE_LOWERING_PASSES_TD
