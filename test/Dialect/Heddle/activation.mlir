// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @activation
func.func @activation(%x: tensor<?x?x172xf32>) -> tensor<?x?x172xf32> {
  // CHECK: heddle.activation silu %{{.*}} : tensor<?x?x172xf32>
  %0 = heddle.activation silu %x : tensor<?x?x172xf32>
  // CHECK: heddle.activation relu
  %1 = heddle.activation relu %0 : tensor<?x?x172xf32>
  // CHECK: heddle.activation gelu %
  %2 = heddle.activation gelu %1 : tensor<?x?x172xf32>
  // CHECK: heddle.activation gelu_tanh
  %3 = heddle.activation gelu_tanh %2 : tensor<?x?x172xf32>
  // CHECK: heddle.activation sigmoid
  %4 = heddle.activation sigmoid %3 : tensor<?x?x172xf32>
  // CHECK: heddle.activation tanh
  %5 = heddle.activation tanh %4 : tensor<?x?x172xf32>
  // CHECK: heddle.activation quick_gelu
  %6 = heddle.activation quick_gelu %5 : tensor<?x?x172xf32>
  return %6 : tensor<?x?x172xf32>
}
