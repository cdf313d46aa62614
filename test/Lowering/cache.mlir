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
// CHECK: %[[LANE:.*]] = halide.mod %[[SAFE]], %{{.*}}32
// CHECK: %[[BLOCK:.*]] = arith.floordivsi %[[SAFE]], %{{.*}}32
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
