// All results from the kernel of attention, and scores that a region changes, with sinks.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified results: {{2|3}} kernels,
// CHECK: verified scores: {{2|3}} kernels,
// CHECK: verified learned: {{2|3}} kernels,

func.func @results(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]})
   -> (tensor<?x?x96xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>, tensor<?x?x96xf32>, tensor<?x4x?xf32>, tensor<?x4x?xf32>) {
  %m = heddle.mask.causal offset(%s : tensor<?xi32>)
  %r:10 = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) results(output, weights, log_sum_exp, raw_scores, scaled_scores, changed_scores, masked_scores, unnormalized, maximum, sum)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9 : tensor<?x?x96xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>, tensor<?x?x96xf32>, tensor<?x4x?xf32>, tensor<?x4x?xf32>
}
func.func @scores(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]},
    %bias: tensor<?x4x?x?xf32> {heddle.sizes = ["batch", "length", "keys"]}, %sinks: tensor<4xf32>)
   -> (tensor<?x?x96xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>) {
  %m = heddle.mask.causal offset(%s : tensor<?xi32>)
  %r:5 = heddle.attention %q, %k, %v mask(%m) sinks(%sinks : tensor<4xf32>) heads(4, kv = 2) scale(0.3) results(output, weights, log_sum_exp, changed_scores, masked_scores)
    score(%bias : tensor<?x4x?x?xf32>) {
    ^bb0(%x: tensor<?x4x?x?xf32>, %b: tensor<?x4x?x?xf32>):
      %0 = math.tanh %x : tensor<?x4x?x?xf32>
      %1 = arith.addf %0, %b : tensor<?x4x?x?xf32>
      heddle.yield %1 : tensor<?x4x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x?x96xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>
}

// Sinks and tables may be weights.
heddle.weight @sinks = dense<[0.5, -1.0, 2.0, 0.0]> : tensor<4xf32>
heddle.weight @slopes = dense<[0.5, 0.25, 0.125, 0.0625]> : tensor<4xf32>
func.func @learned(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %sinks = heddle.weight_ref @sinks : tensor<4xf32>
  %slopes = heddle.weight_ref @slopes : tensor<4xf32>
  %o = heddle.attention %q, %q, %q sinks(%sinks : tensor<4xf32>) heads(4, kv = 4)
    score(%slopes : tensor<4xf32>) {
    ^bb0(%s: tensor<?x4x?x?xf32>, %slope: tensor<4xf32>):
      %0 = heddle.generic over ["batch", 4, "length", "length"] ins(%s, %slope : tensor<?x4x?x?xf32>, tensor<4xf32>)
          maps [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h)>] {
      ^bb0(%e: f32, %by: f32):
        %1 = arith.mulf %e, %by : f32
        heddle.yield %1 : f32
      } : tensor<?x4x?x?xf32>
      heddle.yield %0 : tensor<?x4x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %o : tensor<?x?x64xf32>
}
