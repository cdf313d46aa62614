// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @mask_causal
func.func @mask_causal(%starts: tensor<?xi32>) {
  // CHECK: heddle.mask.causal offset(%{{.*}} : tensor<?xi32>)
  %0 = heddle.mask.causal offset(%starts : tensor<?xi32>)
  // CHECK: heddle.mask.causal align(top_left)
  %1 = heddle.mask.causal align(top_left)
  // CHECK: heddle.mask.causal align(bottom_right)
  %2 = heddle.mask.causal align(bottom_right)
  // CHECK: heddle.mask.causal align(top_left) plus(-1)
  %3 = heddle.mask.causal align(top_left) plus(-1)
  // CHECK: heddle.mask.causal align(top_left) plus("past + 1")
  %4 = heddle.mask.causal align(top_left) plus("past + 1")
  return
}
