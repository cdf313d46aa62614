// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @quantize
func.func @quantize(%x: tensor<172x64xf32>) -> (tensor<172x64xi8>, tensor<172x2xf16>) {
  // CHECK: heddle.quantize %{{.*}} axis(1) group(32) : tensor<172x64xf32> -> tensor<172x64xi8>, tensor<172x2xf16>
  %q, %s = heddle.quantize %x axis(1) group(32) : tensor<172x64xf32> -> tensor<172x64xi8>, tensor<172x2xf16>
  return %q, %s : tensor<172x64xi8>, tensor<172x2xf16>
}

// CHECK-LABEL: func.func @quantize_halves
func.func @quantize_halves(%x: tensor<172x64xf32>) -> tensor<172x64xf32> {
  // CHECK: heddle.quantize %{{.*}} axis(1) group(32) least_squares : tensor<172x64xf32> -> tensor<172x64xi4>, tensor<172x2xbf16>
  %q, %s = heddle.quantize %x axis(1) group(32) least_squares : tensor<172x64xf32> -> tensor<172x64xi4>, tensor<172x2xbf16>
  // CHECK: heddle.dequantize %{{.*}}, %{{.*}} axis(1) : tensor<172x64xi4>, tensor<172x2xbf16> -> tensor<172x64xf32>
  %y = heddle.dequantize %q, %s axis(1) : tensor<172x64xi4>, tensor<172x2xbf16> -> tensor<172x64xf32>
  return %y : tensor<172x64xf32>
}

// CHECK-LABEL: func.func @quantize_columns
func.func @quantize_columns(%x: tensor<64x?xbf16>) -> (tensor<64x?xi8>, tensor<1x?xf32>) {
  // CHECK: heddle.quantize %{{.*}} axis(0) group(64) : tensor<64x?xbf16> -> tensor<64x?xi8>, tensor<1x?xf32>
  %q, %s = heddle.quantize %x axis(0) group(64) : tensor<64x?xbf16> -> tensor<64x?xi8>, tensor<1x?xf32>
  return %q, %s : tensor<64x?xi8>, tensor<1x?xf32>
}
