// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @activation
func.func @activation(%x: tensor<?x?x172xf32>) -> tensor<?x?x172xf32> {
  // CHECK: heddle.activation silu %{{.*}} : tensor<?x?x172xf32>
  %0 = heddle.activation silu %x : tensor<?x?x172xf32>
  // CHECK: heddle.activation relu
  %1 = heddle.activation relu %0 : tensor<?x?x172xf32>
  return %1 : tensor<?x?x172xf32>
}
