// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @mask_documents
func.func @mask_documents(%q: tensor<2x?xi32>, %k: tensor<2x?xi32>, %low: tensor<2x?xi32>) {
  // CHECK: heddle.mask.documents %{{.*}}, %{{.*}} : tensor<2x?xi32>, tensor<2x?xi32>
  %0 = heddle.mask.documents %q, %k : tensor<2x?xi32>, tensor<2x?xi32>
  // CHECK: heddle.mask.documents %{{.*}}, %{{.*}} summary(%{{.*}}, %{{.*}} : tensor<2x?xi32>, tensor<2x?xi32>) :
  %1 = heddle.mask.documents %q, %k summary(%low, %low : tensor<2x?xi32>, tensor<2x?xi32>)
      : tensor<2x?xi32>, tensor<2x?xi32>
  return
}
