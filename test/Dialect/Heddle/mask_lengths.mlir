// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @mask_lengths
func.func @mask_lengths(%lengths: tensor<?xi32>) -> !heddle.mask {
  // CHECK: heddle.mask.lengths %{{.*}} : tensor<?xi32>
  %0 = heddle.mask.lengths %lengths : tensor<?xi32>
  // CHECK: heddle.mask.lengths %{{.*}} of(query) : tensor<?xi32>
  %1 = heddle.mask.lengths %lengths of(query) : tensor<?xi32>
  return %0 : !heddle.mask
}
