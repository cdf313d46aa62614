// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// Ops with two results, on tensors and on numbers of a body, become ops with one.

// CHECK-LABEL: func.func @sincos
// CHECK: %[[BOTH:.*]]:2 = heddle.generic over ["n"] ins(%{{.*}})
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[SIN:.*]] = math.sin %[[X]] : f32
// CHECK-NEXT: %[[COS:.*]] = math.cos %[[X]] : f32
// CHECK-NEXT: heddle.yield %[[SIN]], %[[COS]]
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @sincos(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %sin, %cos = math.sincos %x : tensor<?xf32>
  return %sin, %cos : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @carry
// CHECK: %[[SUM:.*]] = arith.addi %[[X:.*]], %{{.*}} : i32
// CHECK-NEXT: %[[CARRY:.*]] = arith.cmpi ult, %[[SUM]], %[[X]] : i32
// CHECK-NEXT: heddle.yield %[[SUM]], %[[CARRY]]
func.func @carry(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
  %sum, %carry = arith.addui_extended %x, %y : tensor<4xi32>, tensor<4xi1>
  return %sum, %carry : tensor<4xi32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @product
// CHECK: %[[LOW:.*]] = arith.muli %{{.*}} : i8
// CHECK: %[[WIDE:.*]] = arith.muli %{{.*}} : i64
// CHECK: %[[UPPER:.*]] = arith.shrui %[[WIDE]], %{{.*}} : i64
// CHECK: %[[HIGH:.*]] = arith.trunci %[[UPPER]] : i64 to i8
// CHECK: heddle.yield %[[LOW]], %[[HIGH]]
func.func @product(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %0:2 = heddle.generic over [4] ins(%x : tensor<4xi8>) maps [affine_map<(i) -> (i)>] {
  ^bb0(%e: i8):
    %low, %high = arith.mulsi_extended %e, %e : i8
    heddle.yield %low, %high : i8, i8
  } : tensor<4xi8>, tensor<4xi8>
  return %0#0, %0#1 : tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @wide
// CHECK-NOT: extended
// CHECK-NOT: i128
func.func @wide(%x: tensor<4xi64>) -> tensor<4xi64> {
  %low, %high = arith.mulsi_extended %x, %x : tensor<4xi64>
  return %high : tensor<4xi64>
}
