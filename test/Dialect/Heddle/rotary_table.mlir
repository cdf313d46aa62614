// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @rotary_table
func.func @rotary_table() {
  // Positions 0 to 511 are 256 fine rows and 2 coarse ones.
  // CHECK: heddle.rotary_table dimension(8) positions(512) base(1.000000e+04) : tensor<258x2x4xf32>
  %0 = heddle.rotary_table dimension(8) positions(512) base(10000.0) : tensor<258x2x4xf32>
  // CHECK: positions(513) {{.*}} : tensor<259x2x4xf32>
  %1 = heddle.rotary_table dimension(8) positions(513) base(10000.0) : tensor<259x2x4xf32>
  // CHECK: scaling(<linear, factor = 2.000000e+00>)
  %2 = heddle.rotary_table dimension(8) positions(512) base(10000.0)
      scaling(<linear, factor = 2.0>) : tensor<258x2x4xf32>
  return
}
