// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels \
// RUN:   --heddle-schedule | FileCheck %s

// The pipeline is one task, a tile of queries of one head; its running maximum, sum and
// output (state) are carried over chunks of blocks of 32 keys, and all sizes inside are
// constant.
// CHECK-LABEL: halide.pipeline @attention
// CHECK: halide.compute_root @query_tile
// CHECK: halide.compute_at @block_kind @state "c"
// CHECK: halide.compute_at @block_order @state "c"
// CHECK: halide.vectorize @block_kind "slot" by 16
// CHECK: halide.compute_root @state
// CHECK-NOT: halide.parallel
// CHECK: halide.split @state update(0) "i" into ("rows", "row") by 6
// CHECK: halide.reorder @state update(0) ["column", "row", "rows", "slice", "c"]
// CHECK: halide.compute_at @scores @state "c"
// CHECK: halide.bound_extent @scores "j" 32
// CHECK-NEXT: halide.bound_extent @scores "i" 12
// CHECK-NEXT: halide.bound_extent @scores "jb" [[BLOCKS:[0-9]+]]
// CHECK: halide.compute_at @weights @state "c"
// CHECK: halide.bound_extent @weights "jb" [[BLOCKS]]
// CHECK: halide.compute_at @score_group @scores "rows"
// CHECK-NEXT: halide.store_in @score_group register
// CHECK: halide.vectorize @score_group update(0) "j" by 16
// CHECK: halide.compute_at @score_sum @scores "single_rows"
// CHECK: halide.compute_at @block_extremes @extremes "i"
// CHECK: halide.compute_at @row_max @extremes "i"
// CHECK: halide.atomic @row_max update(0)
// CHECK: halide.compute_at @row_min @extremes "i"
// CHECK: halide.compute_at @value_sum @state "rows"
// CHECK-NEXT: halide.store_in @value_sum register
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
