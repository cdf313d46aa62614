// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @rotary
func.func @rotary(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) -> tensor<?x?x64xf32> {
  // CHECK: heddle.rotary %{{.*}} at(%{{.*}}) heads(8) positions(512) base(1.000000e+04) : tensor<?x?x64xf32>, tensor<?xi32>
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @rotary_scaled
func.func @rotary_scaled(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // CHECK: scaling(<linear, factor = 4.000000e+00>)
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
       scaling(<linear, factor = 4.0>) : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: scaling(<llama3, factor = 8.000000e+00, low = 1.000000e+00, high = 4.000000e+00, original = 8192>)
  %1 = heddle.rotary %x at(%starts) heads(8) positions(131072) base(500000.0)
       scaling(<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 8192>)
     : tensor<?x?x64xf32>, tensor<?xi32>
  return
}
