// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_FUSION_PASSES_TD
#define HEDDLE_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"heddle-decompose"> {
  let summary = "layers become the ops that kernels are made of";
  let description = [{
    `gated_feed_forward` -> two linears, activation, multiplication, linear.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def MaterializeTables : Pass<"heddle-materialize-tables"> {
  let summary = "rotary embeddings read their angles from a table";
}

def FormKernels : Pass<"heddle-form-kernels", "mlir::ModuleOp"> {
  let summary = "groups ops into kernels, and launches them";
  let description = [{
    A kernel is one or more roots that share an input (contractions, attention,
    normalisation, gather) with what fuses before and after them. Kernels that are
    equal up to weights and cache layer become one. With `remarks` every
    op but the return gets one that says which kernel it went to, and why it did not
    go to its producer's; or that it is a view, of which each reader has a copy, or a
    constant, which kernels are handed.
  }];
  let dependentDialects = ["::heddle::HeddleDialect",
                           "mlir::arith::ArithDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "report where each op went and why fusion stopped">
  ];
}

#endif // HEDDLE_FUSION_PASSES_TD
