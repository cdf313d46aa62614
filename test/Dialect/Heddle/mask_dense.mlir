// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @mask_dense
func.func @mask_dense(%valid: tensor<?x?xi1>, %layout: tensor<8x?x?xi1>) {
  // CHECK: heddle.mask.dense %{{.*}} over(batch, key) : tensor<?x?xi1>
  %0 = heddle.mask.dense %valid over(batch, key) : tensor<?x?xi1>
  // CHECK: heddle.mask.dense %{{.*}} over(head, query, key) blocks(64, 32) : tensor<8x?x?xi1>
  %1 = heddle.mask.dense %layout over(head, query, key) blocks(64, 32) : tensor<8x?x?xi1>
  // CHECK: heddle.mask.dense %{{.*}} over(batch, key) summary(%{{.*}}, %{{.*}} : tensor<?x?xi1>, tensor<?x?xi1>) : tensor<?x?xi1>
  %2 = heddle.mask.dense %valid over(batch, key) summary(%valid, %valid : tensor<?x?xi1>, tensor<?x?xi1>) : tensor<?x?xi1>
  return
}
