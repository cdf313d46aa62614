// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<2x?x3xf32>, %w: tensor<3xbf16>, %b: tensor<3xf32>) -> tensor<2x?x3xf32> {
  // CHECK: heddle.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon(1.000000e-05) : tensor<2x?x3xf32>, tensor<3xbf16>, tensor<3xf32>
  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5) : tensor<2x?x3xf32>, tensor<3xbf16>, tensor<3xf32>
  // CHECK: heddle.layer_norm %{{[^,]*}}, %{{[^,]*}} epsilon(1.000000e-05) : tensor<2x?x3xf32>, tensor<3xbf16>{{$}}
  %z = heddle.layer_norm %y, %w epsilon(1.0e-5) : tensor<2x?x3xf32>, tensor<3xbf16>
  return %z : tensor<2x?x3xf32>
}
