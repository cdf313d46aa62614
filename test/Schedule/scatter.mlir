// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels \
// RUN:   --heddle-schedule | FileCheck %s

// Heads write to different places, so they are parallel. Values are contiguous in d, and what
// is appended may have been computed of vectors.
// CHECK-LABEL: halide.pipeline @append
// CHECK: halide.schedule {
// CHECK-NEXT: halide.reorder @keys update(0) ["d", "token", "sequence", "h"]
// CHECK-NEXT: halide.vectorize @keys update(0) "d" by 8
// CHECK-NEXT: halide.unroll @keys update(0) "d"
// CHECK-NEXT: halide.parallel @keys update(0) "h"
// CHECK-NEXT: halide.reorder @values update(0) ["d", "token", "sequence", "h"]
// CHECK-NEXT: halide.vectorize @values update(0) "d" by 8
// CHECK-NEXT: halide.unroll @values update(0) "d"
// CHECK-NEXT: halide.parallel @values update(0) "h"
heddle.kernel @append(%key: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %value: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (!heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) {
  %c = heddle.cache.append %cache, %key, %value layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  heddle.yield %c : !heddle.cache<1 x 4 x 8 x f32>
}
