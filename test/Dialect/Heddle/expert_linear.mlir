// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @expert_linear
func.func @expert_linear(%x: tensor<?x64xf32>, %e: tensor<?x2xi32>, %w: tensor<8x172x64xf32>,
    %d: tensor<8x64x172xbf16>, %b: tensor<8x64xf32>) -> tensor<?x2x64xf32> {
  // CHECK: heddle.expert_linear %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x2xi32>, tensor<8x172x64xf32>
  %0 = heddle.expert_linear %x, %e, %w : tensor<?x64xf32>, tensor<?x2xi32>, tensor<8x172x64xf32>
  // CHECK: heddle.expert_linear %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<8x64xf32>) : tensor<?x2x172xf32>, tensor<?x2xi32>, tensor<8x64x172xbf16>
  %1 = heddle.expert_linear %0, %e, %d bias(%b : tensor<8x64xf32>)
     : tensor<?x2x172xf32>, tensor<?x2xi32>, tensor<8x64x172xbf16>
  return %1 : tensor<?x2x64xf32>
}
