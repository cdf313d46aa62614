// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-expand-attention | FileCheck %s

// What is appended is read, and scores change inside of attention.
// CHECK-LABEL: func.func @cached
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32, {{.*}}>, %[[C:.*]]: !heddle.cache<{{.*}}>, %[[S:.*]]: tensor<?xi32, {{.*}}>, %[[N:.*]]: tensor<?xi32, {{.*}}>, %[[B:.*]]: tensor<2xf32>
// CHECK: %[[ALL:.*]] = heddle.linear %[[X]]
// CHECK: %[[Q:.*]] = heddle.slice %[[ALL]]
// CHECK: %[[K:.*]] = heddle.slice %[[ALL]]
// CHECK: %[[V:.*]] = heddle.slice %[[ALL]]
// CHECK: %[[C1:.*]] = heddle.cache.append %[[C]], %[[K]], %[[V]] layer(1) at(%[[S]]) lengths(%[[N]])
// CHECK: %[[K1:.*]], %[[V1:.*]] = heddle.cache.read %[[C1]] layer(1)
// CHECK: %[[A:.*]] = heddle.attention %[[Q]], %[[K1]], %[[V1]] mask(%{{.*}}) heads(2, kv = 2) score(%[[B]] : tensor<2xf32>) {
// CHECK: heddle.alibi
// CHECK: %[[Y:.*]] = heddle.linear %[[A]]
// CHECK: return %[[Y]], %[[C1]]
func.func @cached(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %c: !heddle.cache<2 x 2 x 4 x f32> {heddle.sizes = ["batch", "capacity"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]}, %slopes: tensor<2xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>)
    -> (tensor<?x?x8xf32>, !heddle.cache<2 x 2 x 4 x f32>) {
  %m = heddle.mask.causal offset(%s : tensor<?xi32>)
  %y, %c1 = heddle.multi_head_attention %x, %x, %x mask(%m) cache(%c : !heddle.cache<2 x 2 x 4 x f32>) layer(1)
       at(%s : tensor<?xi32>) lengths(%n : tensor<?xi32>) heads(2, kv = 2) combined(%w : tensor<24x8xf32>)
       output(%o : tensor<8x8xf32>)
       score(%slopes : tensor<2xf32>) {
       ^bb0(%scores: tensor<?x2x?x?xf32>, %t: tensor<2xf32>):
         %0 = heddle.alibi %scores, %t align(bottom_right) : tensor<?x2x?x?xf32>, tensor<2xf32>
         heddle.yield %0 : tensor<?x2x?x?xf32>
       } : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y, %c1 : tensor<?x?x8xf32>, !heddle.cache<2 x 2 x 4 x f32>
}

// Others are left to --heddle-decompose, and the reference.
// CHECK-LABEL: func.func @plain
// CHECK: heddle.multi_head_attention
func.func @plain(%x: tensor<2x3x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>) -> tensor<2x3x8xf32> {
  %y = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%w : tensor<24x8xf32>)
       output(%o : tensor<8x8xf32>) : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
