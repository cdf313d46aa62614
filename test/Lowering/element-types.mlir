// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels --cse | FileCheck %s

// Elements are read and written as they are; only rows of f32 are padded.
// CHECK-LABEL: halide.pipeline @generic
// CHECK: halide.input @arg0 [5, %{{.*}}] : bf16
// CHECK: halide.input @arg1 [5] : f16
// CHECK: halide.input @arg2 [3, 2] : i8
// CHECK: halide.func @generic(%{{.*}}) : i1
// CHECK: %[[X:.*]] = halide.access @arg0(%{{.*}}) : bf16
// CHECK: %[[W:.*]] = halide.access @arg1(%{{.*}}) : f16
// CHECK: halide.access @arg2(%{{.*}}) : i8
// CHECK: arith.extf %[[X]] {halide.strict} : bf16 to f32
// CHECK: halide.output @generic [5, %{{.*}}]
heddle.kernel @generic(%x: tensor<?x5xbf16> {heddle.sizes = ["rows"]}, %w: tensor<5xf16> {heddle.weight},
    %m: tensor<2x3xi8> {heddle.weight}) -> (tensor<?x5xi1> {heddle.sizes = ["rows"]}) {
  %y = heddle.generic over ["rows", 5] ins(%x, %w, %m : tensor<?x5xbf16>, tensor<5xf16>, tensor<2x3xi8>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (1, 2)>] {
  ^bb0(%a: bf16, %b: f16, %c: i8):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.sitofp %c : i8 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.cmpf olt, %0, %3 : f32
    heddle.yield %4 : i1
  } : tensor<?x5xi1>
  heddle.yield %y : tensor<?x5xi1>
}

// Masks count keys in i32: a number that i32 does not have is as far outside.
// CHECK-LABEL: halide.pipeline @mask
// CHECK: halide.input @[[LENGTHS:.*]] [%{{.*}}] {{.*}}: i64
// CHECK: %[[LENGTH:.*]] = halide.access @[[LENGTHS]](%{{.*}}) : i64
// CHECK: %[[LOW:.*]] = arith.maxsi %[[LENGTH]], %{{.*}}
// CHECK: %[[BOTH:.*]] = arith.minsi %[[LOW]], %{{.*}}
// CHECK: arith.trunci %[[BOTH]] : i64 to i32
heddle.kernel @mask(%q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi64> {heddle.sizes = ["batch"]}) -> (tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}) {
  %m = heddle.mask.lengths %lengths : tensor<?xi64>
  %o = heddle.attention %q, %q, %q mask(%m) heads(1, kv = 1) scale(1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  heddle.yield %o : tensor<?x?x8xf32>
}
