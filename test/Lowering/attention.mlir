// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// The scale is in the queries. Blocks of keys that the mask drops are not visited (where),
// those that it keeps whole are not compared with it; in the others a dropped key has a weight
// of -0, and its value is not added.
// CHECK-LABEL: halide.pipeline @attention
// CHECK: halide.input @keys [32, 8, %{{.*}}, 4, %{{.*}}] : f32 from argument(1, part 0)
// CHECK: halide.input @values [8, %{{.*}}, 4, %{{.*}}] : f32 from argument(1, part 1)
// CHECK: halide.func @query_tile
// CHECK: arith.constant 2.500000e-01
// CHECK: halide.update @score_group({{.*}}) reduce(%{{.*}} < 8)
// CHECK: halide.access @keys
// CHECK: halide.update @scores
// CHECK: halide.where
// CHECK: halide.update @score_sum({{.*}}) reduce(%{{.*}} < 8)
// CHECK: halide.update @scores
// CHECK: halide.update @block_extremes
// CHECK-NOT: halide.access @starts
// CHECK: halide.update @block_extremes
// CHECK: %[[SCORE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: arith.cmpf olt, %{{.*}}, %[[SCORE]]
// CHECK: halide.update @weights
// CHECK: math.roundeven
// CHECK-NOT: halide.access @starts
// CHECK: halide.update @weights
// CHECK: math.roundeven
// CHECK: %[[DROPPED:.*]] = arith.constant -2147483648 : i32
// CHECK: %[[KEPT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[DROPPED]] : i32
// CHECK: halide.yield %[[KEPT]] at
// CHECK: halide.update @value_sum
// CHECK: halide.access @values
// CHECK-NOT: arith.select
// CHECK: halide.update @value_sum
// CHECK: halide.access @values
// CHECK: arith.select
// CHECK: halide.update @state
heddle.kernel @attention(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %totals: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %key, %value = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %valid = heddle.mask.lengths %totals : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %y = heddle.attention %q, %key, %value mask(%mask) heads(8, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}
