// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<?x?x64xf32>, %kv: tensor<?x?x32xf32>, %m: !heddle.mask)
    -> tensor<?x?x64xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}}) heads(8, kv = 4) scale(3.500000e-01)
  // CHECK-SAME: : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %0 = heddle.attention %q, %kv, %kv mask(%m) heads(8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0 : tensor<?x?x64xf32>
}

// Heads of 8 channels for scores, of 16 for values.
// CHECK-LABEL: func.func @attention_wide_values
func.func @attention_wide_values(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>,
    %v: tensor<2x?x128xf32>) -> tensor<2x?x128xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 8)
  %0 = heddle.attention %q, %k, %v heads(8, kv = 8) scale(0.35)
     : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x128xf32>
  return %0 : tensor<2x?x128xf32>
}

// CHECK-LABEL: func.func @attention_heads_outside
func.func @attention_heads_outside(%q: tensor<?x8x?x16xf32>, %k: tensor<?x4x?x16xf32>,
    %v: tensor<?x4x?x24xf32>) -> tensor<?x8x?x24xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 4)
  // CHECK-SAME: : tensor<?x8x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x8x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>
  return %0 : tensor<?x8x?x24xf32>
}
