// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @last_token
func.func @last_token(%x: tensor<?x?x64xf32>, %lengths: tensor<?xi32>) -> tensor<?x64xf32> {
  // CHECK: heddle.last_token %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<?xi32>
  %0 = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  return %0 : tensor<?x64xf32>
}
