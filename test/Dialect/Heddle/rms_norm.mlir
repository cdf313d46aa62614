// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<?x?x64xf32>, %w: tensor<64xbf16>) -> tensor<?x?x64xf32> {
  // CHECK: heddle.rms_norm %{{.*}}, %{{.*}} epsilon(1.000000e-05) : tensor<?x?x64xf32>, tensor<64xbf16>
  %0 = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xbf16>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @rms_norm_of_rows
func.func @rms_norm_of_rows(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK: epsilon(0.000000e+00) : tensor<?x64xf32>
  %0 = heddle.rms_norm %x, %w epsilon(0.0) : tensor<?x64xf32>, tensor<64xf32>
  return %0 : tensor<?x64xf32>
}
