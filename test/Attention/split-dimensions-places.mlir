// Exponentials, reductions and products of a mixture of experts, one of which all tokens have,
// are no attention: places of rows, which are integers, keep the dimension of all pairs.
// RUN: heddlec %s --emit=kernels --quiet | FileCheck %s
// CHECK: heddle.generic over ["2 * batch * length"] ins(%{{.*}}, %{{.*}} : tensor<?xi32, {{.*}} tables(%{{.*}} : tensor<4xi32>

heddle.weight @router from "router" : tensor<4x32xf32>
heddle.weight @up from "up" : tensor<4x64x32xf32>
heddle.weight @down from "down" : tensor<4x32x64xf32>
heddle.weight @shared_up from "shared_up" : tensor<64x32xf32>
heddle.weight @shared_down from "shared_down" : tensor<32x64xf32>
heddle.weight @head from "head" : tensor<96x32xf32>

func.func @f(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x96xf32> {
  %r = heddle.weight_ref @router : tensor<4x32xf32>
  %u = heddle.weight_ref @up : tensor<4x64x32xf32>
  %d = heddle.weight_ref @down : tensor<4x32x64xf32>
  %su = heddle.weight_ref @shared_up : tensor<64x32xf32>
  %sd = heddle.weight_ref @shared_down : tensor<32x64xf32>
  %h = heddle.weight_ref @head : tensor<96x32xf32>
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%u, %u, %d) top(2) normalized
      : tensor<?x?x32xf32>, tensor<4x32xf32>, tensor<4x64x32xf32>, tensor<4x64x32xf32>, tensor<4x32x64xf32>
  %shared = heddle.gated_feed_forward silu %x, %su, %su, %sd
      : tensor<?x?x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<32x64xf32>
  %z = arith.addf %y, %shared : tensor<?x?x32xf32>
  %gate = heddle.activation sigmoid %z : tensor<?x?x32xf32>
  %logits = heddle.linear %gate, %h : tensor<?x?x32xf32>, tensor<96x32xf32>
  return %logits : tensor<?x?x96xf32>
}
