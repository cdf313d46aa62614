// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-reorder-inputs | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:[^:]+]]: tensor<?x4xf32, {{.*}}>, %[[W:[^:]+]]: tensor<8x4xf32>
// CHECK: %[[P:.*]] = arith.constant dense<[1, 2, 0, 3]> : tensor<4xi32>
// CHECK: %[[Z:.*]] = heddle.gather %[[X]], %[[P]] axis(1) : tensor<?x4xf32, {{.*}}>, tensor<4xi32> -> tensor<?x4xf32
// CHECK-NOT: heddle.gather
// CHECK: heddle.linear %[[Z]], %[[W]] : tensor<?x4xf32, {{.*}}>, tensor<8x4xf32>
func.func @linear(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %w: tensor<8x4xf32>) -> tensor<?x8xf32> {
  %o = arith.constant dense<[2, 0, 1, 3]> : tensor<4xi32>
  %m = heddle.gather %w, %o axis(1) : tensor<8x4xf32>, tensor<4xi32> -> tensor<8x4xf32>
  %y = heddle.linear %x, %m : tensor<?x4xf32>, tensor<8x4xf32>
  return %y : tensor<?x8xf32>
}

// Other readers of the matrix have it as it was.
// CHECK-LABEL: func.func @feed_forward
// CHECK: %[[M:.*]] = heddle.gather %{{.*}}, %{{.*}} axis(1) : tensor<4x4xf32>
// CHECK: %[[Z:.*]] = heddle.gather %{{.*}}, %{{.*}} axis(1) : tensor<?x4xf32
// CHECK: heddle.linear %[[Z]],
// CHECK: heddle.linear %{{.*}}, %{{.*}} : tensor<?x4xf32, {{.*}}>, tensor<4x4xf32>
// CHECK: return %{{.*}}, %[[M]]
func.func @feed_forward(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> (tensor<?x4xf32>, tensor<4x4xf32>) {
  %o = arith.constant dense<[2, 0, 1, 3]> : tensor<4xi32>
  %m = heddle.gather %w, %o axis(1) : tensor<4x4xf32>, tensor<4xi32> -> tensor<4x4xf32>
  %y = heddle.feed_forward relu %x, %m, %v : tensor<?x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  return %y, %m : tensor<?x4xf32>, tensor<4x4xf32>
}

// Layers that are made of others.
// CHECK-LABEL: func.func @attention
// CHECK-NOT: heddle.multi_head_attention
// CHECK: heddle.gather %{{.*}}, %{{.*}} axis(2) : tensor<?x?x8xf32
func.func @attention(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}, %w: tensor<24x8xf32>, %v: tensor<8x8xf32>)
    -> tensor<?x?x8xf32> {
  %o = arith.constant dense<[2, 0, 1, 3, 7, 6, 5, 4]> : tensor<8xi32>
  %m = heddle.gather %w, %o axis(1) : tensor<24x8xf32>, tensor<8xi32> -> tensor<24x8xf32>
  %y = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%m : tensor<24x8xf32>) output(%v : tensor<8x8xf32>)
      : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// An input that is there twice, one past the last, outputs in an order, and an order that
// nobody knows.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: heddle.gather {{.*}} -> tensor<4x4xf32>
// CHECK-NOT: heddle.gather
func.func @others(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %w: tensor<4x4xf32>, %n: tensor<4xi32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %o = arith.constant dense<[2, 0, 0, 3]> : tensor<4xi32>
  %a = heddle.gather %w, %o axis(1) : tensor<4x4xf32>, tensor<4xi32> -> tensor<4x4xf32>
  %r = heddle.linear %x, %a : tensor<?x4xf32>, tensor<4x4xf32>
  %p = arith.constant dense<[2, 0, 1, 4]> : tensor<4xi32>
  %b = heddle.gather %w, %p axis(1) : tensor<4x4xf32>, tensor<4xi32> -> tensor<4x4xf32>
  %s = heddle.linear %x, %b : tensor<?x4xf32>, tensor<4x4xf32>
  %q = arith.constant dense<[2, 0, 1, 3]> : tensor<4xi32>
  %c = heddle.gather %w, %q axis(0) : tensor<4x4xf32>, tensor<4xi32> -> tensor<4x4xf32>
  %t = heddle.linear %x, %c : tensor<?x4xf32>, tensor<4x4xf32>
  %d = heddle.gather %w, %n axis(1) : tensor<4x4xf32>, tensor<4xi32> -> tensor<4x4xf32>
  %u = heddle.linear %x, %d : tensor<?x4xf32>, tensor<4x4xf32>
  return %r, %s, %t, %u : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
