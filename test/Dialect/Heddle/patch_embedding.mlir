// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// 3 x 2 patches of 4 x 4; a row and a column are left over.
// CHECK-LABEL: func.func @patch_embedding
func.func @patch_embedding(%x: tensor<?x3x13x9xf32>, %w: tensor<24x3x4x4xf32>, %b: tensor<24xf32>) -> tensor<?x6x24xf32> {
  // CHECK: heddle.patch_embedding %{{.*}}, %{{.*}} : tensor<?x3x13x9xf32>, tensor<24x3x4x4xf32>
  %0 = heddle.patch_embedding %x, %w : tensor<?x3x13x9xf32>, tensor<24x3x4x4xf32>
  // CHECK: heddle.patch_embedding %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<24xf32>) :
  %1 = heddle.patch_embedding %x, %w bias(%b : tensor<24xf32>) : tensor<?x3x13x9xf32>, tensor<24x3x4x4xf32>
  return %1 : tensor<?x6x24xf32>
}
