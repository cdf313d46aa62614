// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<?x?x64xf32>, %w: tensor<172x64xbf16>) -> tensor<?x?x172xf32> {
  // CHECK: heddle.linear %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<172x64xbf16>
  %0 = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<172x64xbf16>
  return %0 : tensor<?x?x172xf32>
}

// CHECK-LABEL: func.func @linear_with_bias
func.func @linear_with_bias(%x: tensor<4x64xf32>, %w: tensor<172x64xf32>, %b: tensor<172xf32>)
    -> tensor<4x172xf32> {
  // CHECK: bias(%{{.*}} : tensor<172xf32>)
  %0 = heddle.linear %x, %w bias(%b : tensor<172xf32>) : tensor<4x64xf32>, tensor<172x64xf32>
  return %0 : tensor<4x172xf32>
}

// CHECK-LABEL: func.func @linear_of_doubles
func.func @linear_of_doubles(%x: tensor<4x64xf64>, %w: tensor<172x64xbf16>) -> tensor<4x172xf64> {
  // CHECK: heddle.linear %{{.*}}, %{{.*}} : tensor<4x64xf64>, tensor<172x64xbf16>
  %0 = heddle.linear %x, %w : tensor<4x64xf64>, tensor<172x64xbf16>
  return %0 : tensor<4x172xf64>
}
