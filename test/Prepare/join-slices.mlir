// Slices that are all of one tensor, in another order, become one read.

// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-join-slices | FileCheck %s

// Channel d of the result is channel d + 8, or d - 8, and the former have a minus.
// CHECK: #[[HALVES:.*]] = affine_map<(d0, d1) -> (d0, (d1 + 8) mod 16)>
// CHECK: #[[THIRDS:.*]] = affine_map<(d0, d1) -> ((d0 + 5) mod 6, d1)>
// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x16xf32
// CHECK-NOT: heddle.concat
// CHECK: heddle.generic over ["n", 16] ins(%[[X]] : {{.*}}) maps [#[[HALVES]]] {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: %[[D:.*]] = heddle.index 1
// CHECK-NEXT: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi slt, %[[D]], %[[EIGHT]]
// CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[E]]
// CHECK-NEXT: %[[Y:.*]] = arith.select %[[FIRST]], %[[MINUS]], %[[E]]
// CHECK-NEXT: heddle.yield %[[Y]]
func.func @halves(%x: tensor<?x16xf32> {heddle.sizes = ["n"]}) -> tensor<?x16xf32> {
  %h = heddle.slice %x offsets [0, 8] sizes ["n", 8] steps [1, 1] : tensor<?x16xf32> -> tensor<?x8xf32>
  %l = heddle.slice %x offsets [0, 0] sizes ["n", 8] steps [1, 1] : tensor<?x16xf32> -> tensor<?x8xf32>
  %m = arith.negf %h : tensor<?x8xf32>
  %y = heddle.concat %m, %l axis(1) : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// Parts of a split, along another dimension, without a minus.
// CHECK-LABEL: func.func @split
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x?xi32
// CHECK: heddle.generic over [6, "n"] ins(%[[X]] : {{.*}}) maps [#[[THIRDS]]] {
// CHECK-NEXT: ^bb0(%[[E:.*]]: i32):
// CHECK-NEXT: heddle.yield %[[E]]
func.func @split(%x: tensor<6x?xi32> {heddle.sizes = ["n"]}) -> tensor<6x?xi32> {
  %p:3 = heddle.split %x axis(0) sizes [2, 3, 1] : tensor<6x?xi32> -> tensor<2x?xi32>, tensor<3x?xi32>, tensor<1x?xi32>
  %y = heddle.concat %p#2, %p#0, %p#1 axis(0) : tensor<1x?xi32>, tensor<2x?xi32>, tensor<3x?xi32> -> tensor<6x?xi32>
  return %y : tensor<6x?xi32>
}

// A part comes twice and another one never, parts are of two tensors, are every other channel, or
// miss rows.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: heddle.concat
func.func @others(%x: tensor<5x16xf32>, %z: tensor<5x16xf32>)
    -> (tensor<5x16xf32>, tensor<5x16xf32>, tensor<5x16xf32>, tensor<4x16xf32>) {
  %h = heddle.slice %x offsets [0, 8] sizes [5, 8] steps [1, 1] : tensor<5x16xf32> -> tensor<5x8xf32>
  %l = heddle.slice %z offsets [0, 0] sizes [5, 8] steps [1, 1] : tensor<5x16xf32> -> tensor<5x8xf32>
  %0 = heddle.concat %h, %h axis(1) : tensor<5x8xf32>, tensor<5x8xf32> -> tensor<5x16xf32>
  %1 = heddle.concat %h, %l axis(1) : tensor<5x8xf32>, tensor<5x8xf32> -> tensor<5x16xf32>
  %even = heddle.slice %x offsets [0, 0] sizes [5, 8] steps [1, 2] : tensor<5x16xf32> -> tensor<5x8xf32>
  %2 = heddle.concat %h, %even axis(1) : tensor<5x8xf32>, tensor<5x8xf32> -> tensor<5x16xf32>
  %few = heddle.slice %x offsets [1, 8] sizes [4, 8] steps [1, 1] : tensor<5x16xf32> -> tensor<4x8xf32>
  %low = heddle.slice %x offsets [0, 0] sizes [4, 8] steps [1, 1] : tensor<5x16xf32> -> tensor<4x8xf32>
  %3 = heddle.concat %few, %low axis(1) : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  return %0, %1, %2, %3 : tensor<5x16xf32>, tensor<5x16xf32>, tensor<5x16xf32>, tensor<4x16xf32>
}
