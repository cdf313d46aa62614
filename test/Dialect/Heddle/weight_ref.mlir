// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

heddle.weight @w from "w" : tensor<64x32xbf16>

// CHECK-LABEL: func.func @weight_ref
func.func @weight_ref() -> tensor<64x32xbf16> {
  // CHECK: heddle.weight_ref @w : tensor<64x32xbf16>
  %0 = heddle.weight_ref @w : tensor<64x32xbf16>
  return %0 : tensor<64x32xbf16>
}

// CHECK-LABEL: func.func @weight_ref_rows
func.func @weight_ref_rows() -> tensor<48x32xbf16> {
  // CHECK: heddle.weight_ref @w layout(<panels of 16 along 0 groups of 2>) :
  // CHECK: heddle.weight_ref @w offsets [16, 0] layout(<panels of 64 along 0>) : tensor<48x32xbf16>
  %g = heddle.weight_ref @w layout(<panels of 16 along 0 groups of 2>) : tensor<64x32xbf16>
  %0 = heddle.weight_ref @w offsets [16, 0] layout(<panels of 64 along 0>) : tensor<48x32xbf16>
  return %0 : tensor<48x32xbf16>
}

// CHECK-LABEL: func.func @weight_ref_box
func.func @weight_ref_box() -> tensor<48x16xbf16> {
  // CHECK: heddle.weight_ref @w offsets [16, 8] : tensor<48x16xbf16>
  %0 = heddle.weight_ref @w offsets [16, 8] : tensor<48x16xbf16>
  return %0 : tensor<48x16xbf16>
}
