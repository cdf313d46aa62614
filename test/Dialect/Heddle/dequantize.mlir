// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @dequantize
func.func @dequantize(%q: tensor<172x64xi8>, %s: tensor<172x2xf16>) -> tensor<172x64xf32> {
  // CHECK: heddle.dequantize %{{.*}}, %{{.*}} axis(1) : tensor<172x64xi8>, tensor<172x2xf16> -> tensor<172x64xf32>
  %0 = heddle.dequantize %q, %s axis(1) : tensor<172x64xi8>, tensor<172x2xf16> -> tensor<172x64xf32>
  return %0 : tensor<172x64xf32>
}

// CHECK-LABEL: func.func @dequantize_zeros
func.func @dequantize_zeros(%q: tensor<64x?xui8>, %s: tensor<2x?xf32>, %z: tensor<2x?xui8>) -> tensor<64x?xf32> {
  // CHECK: heddle.dequantize %{{.*}}, %{{.*}} zeros(%{{.*}} : tensor<2x?xui8>) axis(0) : tensor<64x?xui8>, tensor<2x?xf32> -> tensor<64x?xf32>
  %0 = heddle.dequantize %q, %s zeros(%z : tensor<2x?xui8>) axis(0)
     : tensor<64x?xui8>, tensor<2x?xf32> -> tensor<64x?xf32>
  return %0 : tensor<64x?xf32>
}

// CHECK-LABEL: func.func @dequantize_minimums
func.func @dequantize_minimums(%q: tensor<4x64xui8>, %s: tensor<4x2xf16>, %z: tensor<4x2xui8>, %m: tensor<4x2xbf16>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  // CHECK: heddle.dequantize %{{.*}}, %{{.*}} minimums(%{{.*}} : tensor<4x2xbf16>) axis(1) : tensor<4x64xui8>, tensor<4x2xf16> -> tensor<4x64xf32>
  %0 = heddle.dequantize %q, %s minimums(%m : tensor<4x2xbf16>) axis(1)
     : tensor<4x64xui8>, tensor<4x2xf16> -> tensor<4x64xf32>
  // CHECK: heddle.dequantize %{{.*}}, %{{.*}} zeros(%{{.*}} : tensor<4x2xui8>) minimums(%{{.*}} : tensor<4x2xbf16>) axis(1)
  %1 = heddle.dequantize %q, %s zeros(%z : tensor<4x2xui8>) minimums(%m : tensor<4x2xbf16>) axis(1)
     : tensor<4x64xui8>, tensor<4x2xf16> -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}
