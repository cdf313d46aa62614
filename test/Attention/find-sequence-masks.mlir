// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise --cse \
// RUN:   --heddle-merge-generics --heddle-find-attention | FileCheck %s

// Conditions with a number for each sequence.

// CHECK-LABEL: func.func @causal
// CHECK-SAME: %[[STARTS:[a-z0-9]+]]: tensor<?xi32
// CHECK: %[[M:.*]] = heddle.mask.causal offset(%[[STARTS]] : {{.*}})
// CHECK-NOT: heddle.mask
// CHECK: heddle.attention {{.*}} mask(%[[M]])
func.func @causal(%starts: tensor<?xi32> {heddle.sizes = ["b"]}, %q: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "s"]},
                  %k: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "t"]}) -> tensor<?x4x?x8xf32> {
  %scores = heddle.matmul %q, %k transpose_b : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x?xf32>
  %key = heddle.iota axis(3) sizes ["b", 1, "s", "t"] : tensor<?x1x?x?xi32>
  %query = heddle.iota axis(2) sizes ["b", 1, "s", "t"] : tensor<?x1x?x?xi32>
  %0 = heddle.reshape %starts to ["b", 1, 1, 1] : tensor<?xi32> -> tensor<?x1x1x1xi32>
  %1 = heddle.broadcast %0 to ["b", 1, "s", "t"] : tensor<?x1x1x1xi32> -> tensor<?x1x?x?xi32>
  %place = arith.addi %query, %1 : tensor<?x1x?x?xi32>
  %before = arith.cmpi sle, %key, %place : tensor<?x1x?x?xi32>
  %lowest = arith.constant dense<0xFF800000> : tensor<f32>
  %masked = heddle.where %before, %scores, %lowest : tensor<?x1x?x?xi1>, tensor<?x4x?x?xf32>, tensor<f32> -> tensor<?x4x?x?xf32>
  %w = heddle.softmax %masked axis(3) : tensor<?x4x?x?xf32>
  %o = heddle.matmul %w, %k : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// Keys behind a query are dropped, in numbers of 64 bits, with a shift.
// CHECK-LABEL: func.func @not_after
// CHECK-SAME: %[[STARTS:[a-z0-9]+]]: tensor<?xi64
// CHECK: %[[M:.*]] = heddle.mask.causal offset(%[[STARTS]] : {{.*}}) plus(3)
// CHECK-NOT: heddle.mask
// CHECK: heddle.attention {{.*}} mask(%[[M]])
func.func @not_after(%starts: tensor<?xi64> {heddle.sizes = ["b"]}, %q: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "s"]},
                     %k: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "t"]}) -> tensor<?x4x?x8xf32> {
  %scores = heddle.matmul %q, %k transpose_b : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x?xf32>
  %w0 = heddle.generic over ["b", 4, "s", "t"] ins(%scores, %starts : tensor<?x4x?x?xf32>, tensor<?xi64>)
      maps [affine_map<(b, h, s, t) -> (b, h, s, t)>, affine_map<(b, h, s, t) -> (b)>] {
  ^bb0(%x: f32, %start: i64):
    %s = heddle.index 2
    %t = heddle.index 3
    %three = arith.constant 3 : i32
    %lowest = arith.constant 0xFF800000 : f32
    %s3 = arith.addi %s, %three : i32
    %wide = arith.extsi %s3 : i32 to i64
    %place = arith.addi %wide, %start : i64
    %key = arith.extsi %t : i32 to i64
    %after = arith.cmpi sgt, %key, %place : i64
    %y = arith.select %after, %lowest, %x : f32
    heddle.yield %y : f32
  } : tensor<?x4x?x?xf32>
  %w = heddle.softmax %w0 axis(3) : tensor<?x4x?x?xf32>
  %o = heddle.matmul %w, %k : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// Values that the mask drops are zeros: a weight of 0 multiplies them anyway.
// CHECK-LABEL: func.func @zeros
// CHECK-SAME: %[[LENGTHS:[a-z0-9]+]]: tensor<?xi32{{.*}}, %{{.*}}: {{.*}}, %{{.*}}: {{.*}}, %[[V:[a-z0-9]+]]: tensor<?x4x?x8xf32
// CHECK: %[[M:.*]] = heddle.mask.lengths %[[LENGTHS]]
// CHECK: heddle.attention {{.*}}, %[[V]] mask(%[[M]])
func.func @zeros(%lengths: tensor<?xi32> {heddle.sizes = ["b"]}, %q: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "s"]},
                 %k: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "t"]}, %v: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "t"]}) -> tensor<?x4x?x8xf32> {
  %scores = heddle.matmul %q, %k transpose_b : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x?xf32>
  %key = heddle.iota axis(1) sizes ["b", "t"] : tensor<?x?xi32>
  %0 = heddle.reshape %lengths to ["b", 1] : tensor<?xi32> -> tensor<?x1xi32>
  %1 = heddle.broadcast %0 to ["b", "t"] : tensor<?x1xi32> -> tensor<?x?xi32>
  %valid = arith.cmpi slt, %key, %1 : tensor<?x?xi32>
  %ofScores = heddle.reshape %valid to ["b", 1, 1, "t"] : tensor<?x?xi1> -> tensor<?x1x1x?xi1>
  %ofValues = heddle.reshape %valid to ["b", 1, "t", 1] : tensor<?x?xi1> -> tensor<?x1x?x1xi1>
  %lowest = arith.constant dense<0xFF800000> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %masked = heddle.where %ofScores, %scores, %lowest : tensor<?x1x1x?xi1>, tensor<?x4x?x?xf32>, tensor<f32> -> tensor<?x4x?x?xf32>
  %values = heddle.where %ofValues, %v, %zero : tensor<?x1x?x1xi1>, tensor<?x4x?x8xf32>, tensor<f32> -> tensor<?x4x?x8xf32>
  %w = heddle.softmax %masked axis(3) : tensor<?x4x?x?xf32>
  %o = heddle.matmul %w, %values : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// Zeros of other lengths are values.
// CHECK-LABEL: func.func @other_zeros
// CHECK: %[[V:.*]] = heddle.generic over ["b", 4, "t", 8]
// CHECK: heddle.attention {{.*}}, %[[V]] mask(
func.func @other_zeros(%lengths: tensor<?xi32> {heddle.sizes = ["b"]}, %others: tensor<?xi32> {heddle.sizes = ["b"]},
                       %q: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "s"]}, %k: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "t"]},
                       %v: tensor<?x4x?x8xf32> {heddle.sizes = ["b", "t"]}) -> tensor<?x4x?x8xf32> {
  %scores = heddle.matmul %q, %k transpose_b : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x?xf32>
  %key = heddle.iota axis(3) sizes ["b", 1, 1, "t"] : tensor<?x1x1x?xi32>
  %0 = heddle.reshape %lengths to ["b", 1, 1, 1] : tensor<?xi32> -> tensor<?x1x1x1xi32>
  %1 = heddle.broadcast %0 to ["b", 1, 1, "t"] : tensor<?x1x1x1xi32> -> tensor<?x1x1x?xi32>
  %valid = arith.cmpi slt, %key, %1 : tensor<?x1x1x?xi32>
  %2 = heddle.reshape %others to ["b", 1, 1, 1] : tensor<?xi32> -> tensor<?x1x1x1xi32>
  %3 = heddle.broadcast %2 to ["b", 1, 1, "t"] : tensor<?x1x1x1xi32> -> tensor<?x1x1x?xi32>
  %kept = arith.cmpi slt, %key, %3 : tensor<?x1x1x?xi32>
  %ofValues = heddle.reshape %kept to ["b", 1, "t", 1] : tensor<?x1x1x?xi1> -> tensor<?x1x?x1xi1>
  %lowest = arith.constant dense<0xFF800000> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %masked = heddle.where %valid, %scores, %lowest : tensor<?x1x1x?xi1>, tensor<?x4x?x?xf32>, tensor<f32> -> tensor<?x4x?x?xf32>
  %values = heddle.where %ofValues, %v, %zero : tensor<?x1x?x1xi1>, tensor<?x4x?x8xf32>, tensor<f32> -> tensor<?x4x?x8xf32>
  %w = heddle.softmax %masked axis(3) : tensor<?x4x?x?xf32>
  %o = heddle.matmul %w, %values : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}
