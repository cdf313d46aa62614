// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @offset_binary
func.func @offset_binary(%c: tensor<172x64xi8>, %h: tensor<172x64xi4>) -> (tensor<172x64xui8>, tensor<172x64xui4>) {
  // CHECK: heddle.offset_binary %{{.*}} : tensor<172x64xi8> -> tensor<172x64xui8>
  %u = heddle.offset_binary %c : tensor<172x64xi8> -> tensor<172x64xui8>
  // CHECK: heddle.offset_binary %{{.*}} : tensor<172x64xi4> -> tensor<172x64xui4>
  %v = heddle.offset_binary %h : tensor<172x64xi4> -> tensor<172x64xui4>
  return %u, %v : tensor<172x64xui8>, tensor<172x64xui4>
}
