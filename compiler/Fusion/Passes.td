// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_FUSION_PASSES_TD
#define HEDDLE_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FindContractions : Pass<"heddle-find-contractions"> {
  let summary = "sums of products say which inputs have rows and which columns";
  let description = [{
    A heddle.generic that adds up products of two factors in f32, each an input as it is or
    decoded, gets the attribute `heddle.contraction` (#heddle.contraction): tiles of rows and
    columns are computed in registers. With `remarks`, each sum of products that is
    computed as any other sum is told of, with what kept it from being one.

    ```mlir
    %y = heddle.generic over ["n", 64] reduce [48] ... ins(%x, %w : ...) { ... }
    // becomes
    %y = heddle.generic over ["n", 64] reduce [48] ... ins(%x, %w : ...)
        attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} { ... }
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "tell which sums are none, and why">
  ];
}

def AssignLayouts : Pass<"heddle-assign-layouts", "mlir::ModuleOp"> {
  let summary = "weights get the layouts that contractions read them in";
  let description = [{
    A weight whose columns a register tile reads is cut into panels of them, as wide as
    the machine model says for the module's `heddle.target`, or as a `heddle.configure`
    of `file` that names the weight does. Other readers of the weight take the same
    layout, so that it is stored once, and contractions over different dimensions each
    have their own.

    ```mlir
    %w = heddle.weight_ref @w : tensor<576x192xf32>
    // becomes, where the rows of w are the columns of a contraction
    %w = heddle.weight_ref @w layout(<panels of 64 along 0>) : tensor<576x192xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"",
           "MLIR text with heddle.configure ops; may be empty">
  ];
}

def PackOperands : Pass<"heddle-pack-operands", "mlir::ModuleOp"> {
  let summary = "columns of contractions lie side by side";
  let description = [{
    Register tiles read a vector of columns at once, from one row after the other. Where
    the columns of a contraction do not lie side by side, as in `Q K^T`, or their rows
    are far apart, a copy is made in which a panel of them is one piece.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def SettleContractions : Pass<"heddle-settle-contractions", "mlir::ModuleOp"> {
  let summary = "contractions say what they are computed in";
  let description = [{
    Products of integers, or of pairs of bf16, are added up as such where the columns lie in
    panels with groups of them, and a block of terms has whole ones. Other sums are made in
    f32, and `#heddle.contraction` says so from here on, with a remark if `remarks` are wanted.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "report sums that could have been made of integers or pairs">
  ];
}

def FormKernels : Pass<"heddle-form-kernels", "mlir::ModuleOp"> {
  let summary = "groups ops into kernels, and launches them";
  let description = [{
    A kernel is attention, an append to a cache, or heddle.generic ops that are computed
    row by row (RowGroup.h); its neighbouring dimensions become one where that can be
    (CollapseDimensions.h). Kernels that are
    equal up to weights and cache layer become one. What has no elements, whatever the
    sizes are, takes no kernel: it is a tensor.empty. Ops of scf stay as they are, with
    kernels formed inside them; no kernel reaches from one side of them to the other. With
    `remarks` every op but the return gets one that says which kernel it went to, and why it
    did not go to its producer's; or that it is a view, of which each reader has a copy, or
    a constant, which kernels are handed.
  }];
  let dependentDialects = ["::heddle::HeddleDialect",
                           "mlir::arith::ArithDialect",
                           "mlir::tensor::TensorDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "report where each op went and why fusion stopped">
  ];
}

#endif // HEDDLE_FUSION_PASSES_TD
