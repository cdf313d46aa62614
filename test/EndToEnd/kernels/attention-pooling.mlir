// Weights that are no softmax of products: of terms (additive attention, kernel regression),
// of scores as they are, and with factors; and sums of weights over the queries.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// A device packs no values.
// CHECK: verified additive: {{[23]}} kernels,
// CHECK: verified regression: {{[23]}} kernels,
// CHECK: verified linear: {{[23]}} kernels,
// CHECK: verified columns: {{[23]}} kernels,
// CHECK: verified factors: {{[23]}} kernels,
// CHECK: verified dropped: {{[23]}} kernels,
// CHECK: verified faded: {{[34]}} kernels,
// CHECK: verified merged:

// a(q, k) = w . tanh(q + k)
func.func @additive(%q: tensor<?x?x40xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x40xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x24xf32> {heddle.sizes = ["batch", "keys"]}, %n: tensor<?xi32> {heddle.sizes = ["batch"]},
    %w: tensor<40xf32>) -> (tensor<?x?x24xf32>, tensor<?x1x?x?xf32>) {
  %m = heddle.mask.lengths %n : tensor<?xi32>
  %y, %a = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1) results(output, weights)
      term(%w : tensor<40xf32>) {
      ^bb0(%a: tensor<?x1x?x?x40xf32>, %b: tensor<?x1x?x?x40xf32>, %c: tensor<40xf32>):
        %0 = arith.addf %a, %b : tensor<?x1x?x?x40xf32>
        %1 = math.tanh %0 : tensor<?x1x?x?x40xf32>
        %2 = heddle.generic over ["batch", 1, "queries", "keys", 40]
            ins(%1, %c : tensor<?x1x?x?x40xf32>, tensor<40xf32>)
            maps [affine_map<(b, h, q, k, c) -> (b, h, q, k, c)>, affine_map<(b, h, q, k, c) -> (c)>] {
        ^bb0(%x: f32, %y: f32):
          %3 = arith.mulf %x, %y : f32
          heddle.yield %3 : f32
        } : tensor<?x1x?x?x40xf32>
        heddle.yield %2 : tensor<?x1x?x?x40xf32>
      } : tensor<?x?x40xf32>, tensor<?x?x40xf32>, tensor<?x?x24xf32>
  return %y, %a : tensor<?x?x24xf32>, tensor<?x1x?x?xf32>
}

// Nadaraya and Watson: a softmax of -(q - k)^2 / 2.
func.func @regression(%q: tensor<1x?x1xf32> {heddle.sizes = ["queries"]},
    %k: tensor<1x?x1xf32> {heddle.sizes = ["keys"]}) -> tensor<1x?x1xf32> {
  %y = heddle.attention %q, %k, %k heads(1, kv = 1) scale(0.5) term {
      ^bb0(%a: tensor<1x1x?x?x1xf32>, %b: tensor<1x1x?x?x1xf32>):
        %0 = arith.subf %a, %b : tensor<1x1x?x?x1xf32>
        %1 = arith.mulf %0, %0 : tensor<1x1x?x?x1xf32>
        %2 = arith.negf %1 : tensor<1x1x?x?x1xf32>
        heddle.yield %2 : tensor<1x1x?x?x1xf32>
      } : tensor<1x?x1xf32>, tensor<1x?x1xf32>, tensor<1x?x1xf32>
  return %y : tensor<1x?x1xf32>
}

// A score is exp(q . k / 4) here, and weights are their shares.
func.func @linear(%q: tensor<2x?x32xf32> {heddle.sizes = ["queries"]},
    %k: tensor<2x?x32xf32> {heddle.sizes = ["keys"]}) -> (tensor<2x?x32xf32>, tensor<2x2x?xf32>) {
  %m = heddle.mask.causal align(bottom_right)
  %y, %s = heddle.attention %q, %k, %k mask(%m) heads(2, kv = 2) normalize(sum) results(output, sum) score {
      ^bb0(%a: tensor<2x2x?x?xf32>):
        %0 = math.exp %a : tensor<2x2x?x?xf32>
        heddle.yield %0 : tensor<2x2x?x?xf32>
      } : tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>
  return %y, %s : tensor<2x?x32xf32>, tensor<2x2x?xf32>
}

// What each key got from all queries, whose tiles follow each other.
func.func @columns(%q: tensor<2x?x64xf32> {heddle.sizes = ["queries"]},
    %k: tensor<2x?x32xf32> {heddle.sizes = ["keys"]}) -> (tensor<2x?x64xf32>, tensor<2x8x?xf32>) {
  %m = heddle.mask.causal align(bottom_right)
  %y, %s = heddle.attention %q, %k, %k mask(%m) heads(8, kv = 4) results(output, column_sums)
      : tensor<2x?x64xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>
  return %y, %s : tensor<2x?x64xf32>, tensor<2x8x?xf32>
}

func.func @factors(%q: tensor<2x?x64xf32> {heddle.sizes = ["queries"]},
    %k: tensor<2x?x64xf32> {heddle.sizes = ["keys"]}, %f: tensor<?x?xf32> {heddle.sizes = ["queries", "keys"]})
    -> (tensor<2x?x64xf32>, tensor<2x4x?x?xf32>) {
  %y, %w = heddle.attention %q, %k, %k heads(4, kv = 4) results(output, weights) factors(%f : tensor<?x?xf32>) {
      ^bb0(%a: tensor<2x4x?x?xf32>, %b: tensor<?x?xf32>):
        %0 = heddle.generic over [2, 4, "queries", "keys"] ins(%b : tensor<?x?xf32>)
            maps [affine_map<(b, h, q, k) -> (q, k)>] {
        ^bb0(%x: f32):
          heddle.yield %x : f32
        } : tensor<2x4x?x?xf32>
        heddle.yield %0 : tensor<2x4x?x?xf32>
      } : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return %y, %w : tensor<2x?x64xf32>, tensor<2x4x?x?xf32>
}

// Which weights are dropped follows from the seed and their numbers.
func.func @dropped(%q: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %s: tensor<2xi32>)
    -> (tensor<?x?x32xf32>, tensor<?x4x?x?xf32>) {
  %m = heddle.mask.causal align(top_left)
  %y, %p = heddle.attention %q, %q, %q mask(%m) heads(4, kv = 4) results(output, weights) factors(%s : tensor<2xi32>) {
    ^bb0(%ones: tensor<?x4x?x?xf32>, %seed: tensor<2xi32>):
      %d = heddle.dropout %ones rate(0.25) seed(%seed : tensor<2xi32>) : tensor<?x4x?x?xf32>
      heddle.yield %d : tensor<?x4x?x?xf32>
    } : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %p : tensor<?x?x32xf32>, tensor<?x4x?x?xf32>
}

// What distances are worth is a factor of weights, by buckets.
func.func @faded(%q: tensor<2x?x64xf32> {heddle.sizes = ["length"]}, %t: tensor<16x4xf32>) -> tensor<2x?x64xf32> {
  %y = heddle.attention %q, %q, %q heads(4, kv = 4) factors(%t : tensor<16x4xf32>) {
    ^bb0(%ones: tensor<2x4x?x?xf32>, %table: tensor<16x4xf32>):
      %0 = heddle.relative_bias %ones, %table buckets(both, 50) align(top_left) : tensor<2x4x?x?xf32>, tensor<16x4xf32>
      heddle.yield %0 : tensor<2x4x?x?xf32>
    } : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return %y : tensor<2x?x64xf32>
}

// Attention over two parts of the keys, and over all of them: their difference.
func.func @merged(%q: tensor<2x?x64xf32> {heddle.sizes = ["queries"]}, %k: tensor<2x96x64xf32>)
    -> (tensor<2x?x64xf32>, tensor<2x4x?xf32>) {
  %first, %second = heddle.split %k axis(1) sizes [33, 63]
      : tensor<2x96x64xf32> -> tensor<2x33x64xf32>, tensor<2x63x64xf32>
  %u0, %m0, %s0 = heddle.attention %q, %first, %first heads(4, kv = 4) results(unnormalized, maximum, sum)
      : tensor<2x?x64xf32>, tensor<2x33x64xf32>, tensor<2x33x64xf32>
  %u1, %m1, %s1 = heddle.attention %q, %second, %second heads(4, kv = 4) results(unnormalized, maximum, sum)
      : tensor<2x?x64xf32>, tensor<2x63x64xf32>, tensor<2x63x64xf32>
  %y, %l = heddle.merge_attention (%u0, %u1) maxima(%m0, %m1) sums(%s0, %s1) results(output, log_sum_exp)
      : tensor<2x?x64xf32>, tensor<2x4x?xf32>
  %z, %n = heddle.attention %q, %k, %k heads(4, kv = 4) results(output, log_sum_exp)
      : tensor<2x?x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>
  %0 = arith.subf %y, %z : tensor<2x?x64xf32>
  %1 = arith.subf %l, %n : tensor<2x4x?xf32>
  return %0, %1 : tensor<2x?x64xf32>, tensor<2x4x?xf32>
}
