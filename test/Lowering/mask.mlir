// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// Which keys a query keeps, in the order of the operands; seen in the second update, that
// of the blocks which are not kept whole. Before that, blocks are asked the same of the
// first and the last pairs in them.
// CHECK-LABEL: halide.pipeline @both
// CHECK: halide.func @block_kind
// CHECK: halide.access @end_key
// CHECK: arith.cmpi slt, %[[FIRST:.*]], %{{.*}} : i32
// CHECK: %[[ANY_CAUSAL:.*]] = arith.cmpi sle, %[[FIRST]], %{{.*}} : i32
// CHECK: %[[ANY_VALID:.*]] = arith.cmpi slt, %[[FIRST]], %{{.*}} : i32
// CHECK: arith.andi %[[ANY_CAUSAL]], %[[ANY_VALID]]
// CHECK: arith.cmpi slt, %{{.*}}, %capacity : i32
// CHECK: %[[ALL_CAUSAL:.*]] = arith.cmpi sle, %[[LAST:.*]], %{{.*}} : i32
// CHECK: %[[ALL_VALID:.*]] = arith.cmpi slt, %[[LAST]], %{{.*}} : i32
// CHECK: arith.andi %[[ALL_CAUSAL]], %[[ALL_VALID]]
// CHECK: halide.func @block_order
// CHECK-COUNT-2: halide.update @block_extremes
// CHECK-COUNT-2: halide.where
// CHECK: arith.cmpi slt, %[[KEY:.*]], %capacity : i32
// CHECK: %[[CAUSAL:.*]] = arith.cmpi sle, %[[KEY]], %{{.*}} : i32
// CHECK: %[[VALID:.*]] = arith.cmpi slt, %[[KEY]], %{{.*}} : i32
// CHECK: arith.andi %[[CAUSAL]], %[[VALID]]
// CHECK: arith.select
heddle.kernel @both(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
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

// CHECK-LABEL: halide.pipeline @either
// CHECK-COUNT-2: halide.update @block_extremes
// CHECK-COUNT-2: halide.where
// CHECK: arith.cmpi slt, %[[KEY:.*]], %capacity : i32
// CHECK: %[[CAUSAL:.*]] = arith.cmpi sle, %[[KEY]], %{{.*}} : i32
// CHECK: %[[VALID:.*]] = arith.cmpi slt, %[[KEY]], %{{.*}} : i32
// CHECK: arith.ori %[[CAUSAL]], %[[VALID]]
heddle.kernel @either(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %totals: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %key, %value = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %valid = heddle.mask.lengths %totals : tensor<?xi32>
  %mask = heddle.mask.or %causal, %valid
  %y = heddle.attention %q, %key, %value mask(%mask) heads(8, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}

// A block has later keys where not every pair is causal, and only such ones where none is.
// CHECK-LABEL: halide.pipeline @only_future
// CHECK: halide.func @block_kind
// CHECK: %[[ALL_CAUSAL:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : i32
// CHECK: %[[ANY_LATER:.*]] = arith.xori %[[ALL_CAUSAL]], %true
// CHECK: %[[ANY_VALID:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: arith.andi %[[ANY_LATER]], %[[ANY_VALID]]
// CHECK-COUNT-2: halide.update @block_extremes
// CHECK-COUNT-2: halide.where
// CHECK: arith.cmpi slt, %[[KEY:.*]], %capacity : i32
// CHECK: %[[CAUSAL:.*]] = arith.cmpi sle, %[[KEY]], %{{.*}} : i32
// CHECK: %[[LATER:.*]] = arith.xori %[[CAUSAL]], %true
// CHECK: %[[VALID:.*]] = arith.cmpi slt, %[[KEY]], %{{.*}} : i32
// CHECK: arith.andi %[[LATER]], %[[VALID]]
heddle.kernel @only_future(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %totals: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %key, %value = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %valid = heddle.mask.lengths %totals : tensor<?xi32>
  %later = heddle.mask.not %causal
  %mask = heddle.mask.and %later, %valid
  %y = heddle.attention %q, %key, %value mask(%mask) heads(8, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}
