// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @embedding
func.func @embedding(%ids: tensor<?x?xi32>, %table: tensor<512x64xbf16>)
    -> tensor<?x?x64xf32> {
  // CHECK: heddle.embedding %{{.*}}, %{{.*}} : tensor<?x?xi32>, tensor<512x64xbf16>
  %0 = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xbf16>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @embedding_of_doubles
func.func @embedding_of_doubles(%ids: tensor<?x?xi32>, %table: tensor<5x4xf64>) -> tensor<?x?x4xf64> {
  // CHECK: heddle.embedding %{{.*}}, %{{.*}} : tensor<?x?xi32>, tensor<5x4xf64>
  %0 = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<5x4xf64>
  return %0 : tensor<?x?x4xf64>
}
