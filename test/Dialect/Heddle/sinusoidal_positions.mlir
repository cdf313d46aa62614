// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @sinusoidal_positions
func.func @sinusoidal_positions() {
  // CHECK: heddle.sinusoidal_positions base(1.000000e+04) : tensor<1500x384xf32>
  %0 = heddle.sinusoidal_positions base(10000.0) : tensor<1500x384xf32>
  // CHECK: heddle.sinusoidal_positions halves base(1.000000e+04) : tensor<1500x384xf32>
  %1 = heddle.sinusoidal_positions halves base(10000.0) : tensor<1500x384xf32>
  // CHECK: heddle.sinusoidal_positions split base(1.000000e+04) : tensor<512x512xf32>
  %2 = heddle.sinusoidal_positions split base(10000.0) : tensor<512x512xf32>
  // CHECK: heddle.sinusoidal_positions base(1.000000e+04) : tensor<8x4xf64>
  %3 = heddle.sinusoidal_positions base(10000.0) : tensor<8x4xf64>
  return
}
