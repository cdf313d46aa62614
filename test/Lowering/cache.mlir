// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// Keys go to blocks of 32 positions, values position by position; what is beyond a
// length is written nowhere, and nothing else of the cache is touched.
// CHECK-LABEL: halide.pipeline @append
// CHECK: halide.func @keys({{.*}}) : f32 reduction(scatter)
// CHECK-NEXT: halide.undef
// CHECK: halide.update @keys({{.*}}) reduce(%[[TOKEN:.*]] < %length, %[[BATCH:.*]] < %batch)
// CHECK: %[[VALID:.*]] = halide.access @arg4(%[[BATCH]])
// CHECK: %[[IS_VALID:.*]] = arith.cmpi slt, %[[TOKEN]], %[[VALID]]
// CHECK: halide.where %[[IS_VALID]]
// CHECK: %[[START:.*]] = halide.access @arg3(%[[BATCH]])
// CHECK: %[[POSITION:.*]] = arith.addi %[[START]], %[[TOKEN]]
// CHECK: %[[SAFE:.*]] = halide.promise_clamped %[[POSITION]]
// CHECK: %[[BLOCK:.*]] = arith.floordivsi %[[SAFE]], %{{.*}}32
// CHECK: %[[LANE:.*]] = halide.mod %[[SAFE]], %{{.*}}32
// CHECK: halide.yield %{{.*}} at(%[[LANE]], %{{.*}}, %[[BLOCK]], %{{.*}}, %[[BATCH]])
// CHECK: halide.update @values
// CHECK: halide.yield %{{.*}} at(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: halide.output @keys [32, 8, %{{.*}}, 4, %{{.*}}] to result(0, part 0)
// CHECK: halide.output @values [8, %{{.*}}, 4, %{{.*}}] to result(0, part 1)
heddle.kernel @append(%key: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %value: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (!heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) {
  %c = heddle.cache.append %cache, %key, %value layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  heddle.yield %c : !heddle.cache<1 x 4 x 8 x f32>
}

// The sum over an i8 key's channels is multiplied by the scale of its position; pages of whole
// blocks are found by block.
// CHECK-LABEL: halide.pipeline @pages
// CHECK: halide.input @[[KEYS:keys.*]] [32, 8, %{{.*}}, 4, %{{.*}}] : i8
// CHECK: halide.input @[[SCALES:keys.*]] [%{{.*}}, 4, %{{.*}}] : f32
// CHECK: %[[PAGE:.*]] = arith.floordivsi %{{.*}}, %{{.*}}2_i32
// CHECK: halide.access @arg2(%{{.*}}, %{{.*}})
// CHECK: %[[SEQUENCE:.*]] = halide.promise_clamped
// CHECK: halide.access @[[KEYS]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SEQUENCE]])
// CHECK-NEXT: arith.sitofp
// CHECK-NOT: halide.access @[[SCALES]](
// CHECK: halide.update @scores
// CHECK: halide.access @score_
// CHECK: %[[SEQUENCE:.*]] = halide.promise_clamped
// CHECK: halide.access @[[SCALES]](%{{.*}}, %{{.*}}, %[[SEQUENCE]])
// CHECK-NEXT: arith.mulf
heddle.kernel @pages(%q: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x i8, values 8 x f32> {heddle.sizes = ["pool", "64"]},
    %table: tensor<?x?xi32> {heddle.sizes = ["batch", "columns"]}) -> tensor<?x?x32xf32> {
  %k, %v = heddle.cache.read %cache layer(0) pages(%table : tensor<?x?xi32>) : !heddle.cache<1 x 4 x 8 x i8, values 8 x f32>
  %y = heddle.attention %q, %k, %v heads(4, kv = 4) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  heddle.yield %y : tensor<?x?x32xf32>
}

// Of a ring, blocks follow each other round and round; an element is rounded.
// CHECK-LABEL: halide.pipeline @ring
// CHECK: halide.update @keys
// CHECK: %[[LOGICAL:.*]] = arith.floordivsi %{{.*}}, %c32_i32
// CHECK: %[[LANE:.*]] = halide.mod %{{.*}}, %c32_i32
// CHECK: %[[BLOCK:.*]] = halide.mod %[[LOGICAL]], %{{.*}}
// CHECK: arith.truncf %{{.*}} {halide.strict} : f32 to bf16
// CHECK: halide.yield %{{.*}} at({{.*}}, {{.*}}) : bf16
heddle.kernel @ring(%key: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x bf16> {heddle.sizes = ["batch", "64 + length"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (!heddle.cache<1 x 4 x 8 x bf16> {heddle.sizes = ["batch", "64 + length"]}) {
  %c = heddle.cache.append %cache, %key, %key layer(0) at(%n) lengths(%n) ring : !heddle.cache<1 x 4 x 8 x bf16>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  heddle.yield %c : !heddle.cache<1 x 4 x 8 x bf16>
}
