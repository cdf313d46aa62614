// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-summarize-masks | FileCheck %s

// CHECK: #[[BLOCKS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 32 + d2)>

// The least and the largest number of each 32 keys; past the last key, that of the last.
// CHECK-LABEL: func.func @documents
// CHECK: %[[SUMMARY:.*]]:2 = heddle.generic over [2, "ceildiv(keys, 32)"] reduce [32]
// CHECK-SAME: initial [2147483647 : i32, -2147483648 : i32] tables(%[[KEYS:[a-z0-9]*]] :
// CHECK: heddle.read
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: heddle.mask.documents %{{.*}}, %[[KEYS]] summary(%[[SUMMARY]]#0, %[[SUMMARY]]#1
func.func @documents(%x: tensor<2x?x64xf32> {heddle.sizes = ["length"]}, %y: tensor<2x?x64xf32> {heddle.sizes = ["keys"]},
    %q: tensor<2x?xi32> {heddle.sizes = ["length"]}, %k: tensor<2x?xi32> {heddle.sizes = ["keys"]}) -> tensor<2x?x64xf32> {
  %m = heddle.mask.documents %q, %k : tensor<2x?xi32>, tensor<2x?xi32>
  %o = heddle.attention %x, %y, %y mask(%m) heads(4, kv = 4) scale(0.25)
      : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return %o : tensor<2x?x64xf32>
}

// What is known to lie inside is read without a limit.
// CHECK-LABEL: func.func @dense
// CHECK: %[[SUMMARY:.*]]:2 = heddle.generic over ["length", 3] reduce [32] initial [false, true]
// CHECK-SAME: ins(%[[MASK:[a-z0-9]*]] :
// CHECK-SAME: maps [#[[BLOCKS]]]
// CHECK: arith.ori
// CHECK: arith.andi
// CHECK: heddle.mask.dense %[[MASK]] over(query, key) summary(%[[SUMMARY]]#0, %[[SUMMARY]]#1
func.func @dense(%x: tensor<2x?x64xf32> {heddle.sizes = ["length"]}, %y: tensor<2x96x64xf32>,
    %mask: tensor<?x96xi1> {heddle.sizes = ["length"]}) -> tensor<2x?x64xf32> {
  %m = heddle.mask.dense %mask over(query, key) : tensor<?x96xi1>
  %o = heddle.attention %x, %y, %y mask(%m) heads(4, kv = 4) scale(0.25)
      : tensor<2x?x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>
  return %o : tensor<2x?x64xf32>
}

// The same for all keys.
// CHECK-LABEL: func.func @queries
// CHECK-NOT: heddle.generic
// CHECK: heddle.mask.dense %[[MASK:.*]] over(query) summary(%[[MASK]], %[[MASK]]
func.func @queries(%x: tensor<2x?x64xf32> {heddle.sizes = ["length"]}, %mask: tensor<?xi1> {heddle.sizes = ["length"]}) -> tensor<2x?x64xf32> {
  %m = heddle.mask.dense %mask over(query) : tensor<?xi1>
  %o = heddle.attention %x, %x, %x mask(%m) heads(4, kv = 4) scale(0.25)
      : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return %o : tensor<2x?x64xf32>
}
