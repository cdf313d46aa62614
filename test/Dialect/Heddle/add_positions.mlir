// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @add_positions
func.func @add_positions(%x: tensor<?x?x64xf32>, %t: tensor<512x64xbf16>, %starts: tensor<?xi32>,
    %ids: tensor<?x?xi64>) {
  // CHECK: heddle.add_positions %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<512x64xbf16>
  %0 = heddle.add_positions %x, %t : tensor<?x?x64xf32>, tensor<512x64xbf16>
  // CHECK: heddle.add_positions %{{.*}}, %{{.*}} at(%{{.*}} : tensor<?xi32>) : tensor<?x?x64xf32>, tensor<512x64xbf16>
  %1 = heddle.add_positions %x, %t at(%starts : tensor<?xi32>) : tensor<?x?x64xf32>, tensor<512x64xbf16>
  // CHECK: heddle.add_positions %{{.*}}, %{{.*}} position_ids(%{{.*}} : tensor<?x?xi64>) : tensor<?x?x64xf32>, tensor<512x64xbf16>
  %2 = heddle.add_positions %x, %t position_ids(%ids : tensor<?x?xi64>) : tensor<?x?x64xf32>, tensor<512x64xbf16>
  return
}
