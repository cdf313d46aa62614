// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-find-contractions --heddle-assign-layouts | FileCheck %s
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=x86-64-v3 --heddle-find-contractions --heddle-assign-layouts | FileCheck %s --check-prefix=AVX2

heddle.weight @w = dense<0.5> : tensor<96x64xf32>

// Panels of columns; without AVX-512 they are narrower. The table of the embedding is the
// same weight and takes its layout.
// CHECK-LABEL: func.func @tied
// CHECK: heddle.weight_ref @w layout(<panels of 64 along 0>)
// CHECK-NOT: heddle.weight_ref
// AVX2-LABEL: func.func @tied
// AVX2: heddle.weight_ref @w layout(<panels of 16 along 0>)
func.func @tied(%ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %x = heddle.gather %w, %ids axis(0) : tensor<96x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x96xf32>
}

// Products with the weight and with its transpose read one copy each.
// CHECK-LABEL: func.func @both_sides
// CHECK-DAG: heddle.weight_ref @w layout(<panels of 64 along 0>)
// CHECK-DAG: heddle.weight_ref @w layout(<panels of 64 along 1>)
func.func @both_sides(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %z = heddle.matmul %y, %w : tensor<?x96xf32>, tensor<96x64xf32> -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

heddle.weight @narrow = dense<0.5> : tensor<4x64xf32>

// A weight that is returned is dense, and so is one with few columns.
// CHECK-LABEL: func.func @dense
// CHECK: heddle.weight_ref @narrow :
func.func @dense(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> (tensor<?x4xf32>, tensor<4x64xf32>) {
  %w = heddle.weight_ref @narrow : tensor<4x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<4x64xf32>
  return %y, %w : tensor<?x4xf32>, tensor<4x64xf32>
}
