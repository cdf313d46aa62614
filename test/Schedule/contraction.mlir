// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 \
// RUN:   --heddle-schedule=target-cpu=x86-64-v4 | FileCheck %s

// Register tiles of 6 rows and 64 columns; the sums stay in registers over all of k.
// Panels of weights are parallel.
// CHECK-LABEL: halide.pipeline @linear_addf
// CHECK: halide.split @addf "c" into ("panel", "lane") by 64 tail(round_up)
// CHECK-NEXT: halide.split @addf "m" into ("{{.*}}tile", "row") by 6 tail(guard_with_if)
// CHECK: halide.reorder @addf ["lane", "row", "tile", "panel"
// CHECK: halide.vectorize @addf "lane" by 16
// CHECK: halide.parallel @addf "panel"
// CHECK: halide.compute_at @accumulator @addf "tile"
// CHECK-NEXT: halide.store_in @accumulator register
// CHECK: halide.reorder @accumulator update(0) ["n", "m", "k"]
// CHECK-NEXT: halide.vectorize @accumulator update(0) "n" by 16
// CHECK-NEXT: halide.unroll @accumulator update(0) "n"
// CHECK-NEXT: halide.unroll @accumulator update(0) "m"
heddle.kernel @linear_addf(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<96x64xf32> {heddle.weight},
    %residual: tensor<?x?x96xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x96xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<96x64xf32>
  %sum = arith.addf %residual, %y : tensor<?x?x96xf32>
  heddle.yield %sum : tensor<?x?x96xf32>
}

// One row a sequence: no tile of rows, and several steps of k at once in its place.
// CHECK-LABEL: halide.pipeline @one_token
// CHECK-NOT: split {{.*}} by 6 tail
// CHECK: halide.compute_at @accumulator @addf "m"
// CHECK: halide.unroll @accumulator update(0) "k" by 4
heddle.kernel @one_token(%x: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %w: tensor<96x64xf32> {heddle.weight},
    %residual: tensor<?x1x96xf32> {heddle.sizes = ["batch"]})
    -> (tensor<?x1x96xf32> {heddle.sizes = ["batch"]}) {
  %y = heddle.linear %x, %w : tensor<?x1x64xf32>, tensor<96x64xf32>
  %sum = arith.addf %residual, %y : tensor<?x1x96xf32>
  heddle.yield %sum : tensor<?x1x96xf32>
}

// The rows of a block fit the cache: 640 KiB are 26 tiles of 6 rows by 1024 floats.
// CHECK-LABEL: halide.pipeline @cached_weights
// CHECK: halide.split @linear "row_tile" into ("block", "tile") by 26 tail
heddle.kernel @cached_weights(%x: tensor<?x?x1024xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<4096x1024xf32> {heddle.weight})
    -> (tensor<?x?x4096xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x1024xf32>, tensor<4096x1024xf32>
  heddle.yield %y : tensor<?x?x4096xf32>
}

// Of weights that come from memory for each block, there are few blocks.
// CHECK-LABEL: halide.pipeline @streamed_weights
// CHECK: halide.split @linear "row_tile" into ("block", "tile") by 86 tail
heddle.kernel @streamed_weights(%x: tensor<?x?x1024xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<4160x1024xf32> {heddle.weight})
    -> (tensor<?x?x4160xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x1024xf32>, tensor<4160x1024xf32>
  heddle.yield %y : tensor<?x?x4160xf32>
}
