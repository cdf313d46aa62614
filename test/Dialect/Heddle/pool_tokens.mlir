// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @pool_tokens
func.func @pool_tokens(%x: tensor<?x?x64xf32>, %lengths: tensor<?xi32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  // CHECK: heddle.pool_tokens sum %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: heddle.pool_tokens mean %
  // CHECK: heddle.pool_tokens max %
  %0 = heddle.pool_tokens sum %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %1 = heddle.pool_tokens mean %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %2 = heddle.pool_tokens max %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  return %0, %1, %2 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}
