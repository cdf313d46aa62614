// --heddle-split-keys: attention of few queries cuts its keys into splits on a device.
// RUN: heddle-opt %s --heddle-set-target=device=opencl --heddle-resolve-sizes --heddle-split-keys | FileCheck %s
// RUN: heddle-opt %s --heddle-set-target --heddle-resolve-sizes --heddle-split-keys | FileCheck %s --check-prefix=CPU
// CPU-NOT: splits({{2|4|8|16}})

// CHECK: [[OF_MAXIMUM:#[a-z0-9]+]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1, d2)>
// CHECK: [[OF_SPLIT:#[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d1, d2, d3)>
// CHECK: [[OF_ROW:#[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d2, d1)>
// CHECK: [[ROW:#[a-z0-9]+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1)>
// CHECK: [[JOINED:#[a-z0-9]+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 floordiv 32, d2 mod 32)>

// Two heads of keys for each sequence, of which there may be one.
// CHECK-LABEL: func.func @decode
// CHECK: [[PARTS:%[0-9]+]]:3 = heddle.attention %arg0, %arg1, %arg2 heads(8, kv = 2) output_layout(batch, length, head, channel) results(unnormalized, maximum, sum) splits(16)
// CHECK: [[MAXIMUM:%[0-9]+]] = heddle.generic over ["batch", 8, 1] reduce [16] initial [0xFF800000 : f32] ins([[PARTS]]#1 : {{.*}}) maps [[[OF_MAXIMUM]]]
// CHECK: arith.maximumf
// CHECK: [[SUM:%[0-9]+]] = heddle.generic over ["batch", 8, 1] reduce [16] initial [0.000000e+00 : f32] ins([[PARTS]]#2, [[PARTS]]#1, [[MAXIMUM]] : {{.*}}) maps [[[OF_MAXIMUM]], [[OF_MAXIMUM]], {{.*}}]
// CHECK: math.exp
// CHECK: [[INVERSE:%[0-9]+]] = heddle.generic over ["batch", 8, 1] ins([[SUM]] : {{.*}})
// CHECK: arith.divf
// CHECK: heddle.generic over ["batch", 1, 8, 32] reduce [16] initial [0.000000e+00 : f32] ins([[PARTS]]#0, [[PARTS]]#1, [[MAXIMUM]], [[INVERSE]] : {{.*}}) maps [[[OF_SPLIT]], [[OF_ROW]], [[ROW]], [[ROW]]]
// CHECK: math.exp
// CHECK: heddle.generic over ["batch", 1, 256] {{.*}} maps [[[JOINED]]]
func.func @decode(
    %q: tensor<?x1x256xf32> {heddle.name = "q", heddle.sizes = ["batch"]},
    %k: tensor<?x?x64xf32> {heddle.name = "k", heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x64xf32> {heddle.name = "v", heddle.sizes = ["batch", "keys"]})
    -> (tensor<?x1x256xf32> {heddle.name = "y"}) {
  %y = heddle.attention %q, %k, %v heads(8, kv = 2)
      : tensor<?x1x256xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x1x256xf32>
}

// Heads with a dimension of their own keep their place; sinks and regions go along.
// CHECK-LABEL: func.func @heads
// CHECK: heddle.attention %arg0, %arg1, %arg2 sinks(%arg3 : tensor<4xf32>) heads(4, kv = 4) results(unnormalized, maximum, sum) splits(16) score {
// CHECK-NOT: floordiv
// CHECK: return
func.func @heads(
    %q: tensor<?x4x1x32xf32> {heddle.name = "q", heddle.sizes = ["batch"]},
    %k: tensor<?x4x?x32xf32> {heddle.name = "k", heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x4x?x32xf32> {heddle.name = "v", heddle.sizes = ["batch", "keys"]},
    %s: tensor<4xf32> {heddle.name = "s"})
    -> (tensor<?x4x1x32xf32> {heddle.name = "y"}) {
  %y = heddle.attention %q, %k, %v sinks(%s : tensor<4xf32>) heads(4, kv = 4) score {
    ^bb0(%x: tensor<?x4x?x?xf32>):
      %0 = math.tanh %x : tensor<?x4x?x?xf32>
      heddle.yield %0 : tensor<?x4x?x?xf32>
    } : tensor<?x4x1x32xf32>, tensor<?x4x?x32xf32>, tensor<?x4x?x32xf32>
  return %y : tensor<?x4x1x32xf32>
}

// A chunk of keys has 64: no split has less.
// CHECK-LABEL: func.func @few_keys
// CHECK: splits(2)
func.func @few_keys(
    %q: tensor<1x1x64xf32> {heddle.name = "q"}, %k: tensor<1x191x64xf32> {heddle.name = "k"},
    %v: tensor<1x191x64xf32> {heddle.name = "v"}) -> (tensor<1x1x64xf32> {heddle.name = "y"}) {
  %y = heddle.attention %q, %k, %v heads(2, kv = 2)
      : tensor<1x1x64xf32>, tensor<1x191x64xf32>, tensor<1x191x64xf32>
  return %y : tensor<1x1x64xf32>
}

// Of 256 tasks that are wanted there are 96, or all.
// CHECK-LABEL: func.func @many_tasks
// CHECK: splits(4)
// CHECK-LABEL: func.func @enough_tasks
// CHECK-NOT: splits
// CHECK: return
func.func @many_tasks(
    %q: tensor<12x1x256xf32> {heddle.name = "q"}, %k: tensor<12x?x256xf32> {heddle.name = "k", heddle.sizes = ["keys"]},
    %v: tensor<12x?x256xf32> {heddle.name = "v", heddle.sizes = ["keys"]}) -> (tensor<12x1x256xf32> {heddle.name = "y"}) {
  %y = heddle.attention %q, %k, %v heads(8, kv = 8)
      : tensor<12x1x256xf32>, tensor<12x?x256xf32>, tensor<12x?x256xf32>
  return %y : tensor<12x1x256xf32>
}
func.func @enough_tasks(
    %q: tensor<32x1x256xf32> {heddle.name = "q"}, %k: tensor<32x?x256xf32> {heddle.name = "k", heddle.sizes = ["keys"]},
    %v: tensor<32x?x256xf32> {heddle.name = "v", heddle.sizes = ["keys"]}) -> (tensor<32x1x256xf32> {heddle.name = "y"}) {
  %y = heddle.attention %q, %k, %v heads(8, kv = 8)
      : tensor<32x1x256xf32>, tensor<32x?x256xf32>, tensor<32x?x256xf32>
  return %y : tensor<32x1x256xf32>
}

// More channels of all heads than a block shares; and what is split already.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: splits(16)
// CHECK: splits(3)
func.func @wide(
    %q: tensor<?x1x12288xf32> {heddle.name = "q", heddle.sizes = ["batch"]},
    %k: tensor<?x?x1024xf32> {heddle.name = "k", heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x1024xf32> {heddle.name = "v", heddle.sizes = ["batch", "keys"]},
    %few: tensor<?x1x1024xf32> {heddle.name = "few", heddle.sizes = ["batch"]})
    -> (tensor<?x1x12288xf32> {heddle.name = "y"}, tensor<3x?x1x1024xf32> {heddle.name = "z"}) {
  %y = heddle.attention %q, %k, %v heads(96, kv = 8)
      : tensor<?x1x12288xf32>, tensor<?x?x1024xf32>, tensor<?x?x1024xf32>
  %z = heddle.attention %few, %k, %v heads(8, kv = 8) splits(3)
      : tensor<?x1x1024xf32>, tensor<?x?x1024xf32>, tensor<?x?x1024xf32>
  return %y, %z : tensor<?x1x12288xf32>, tensor<3x?x1x1024xf32>
}

// Stay as they are: many queries, an unknown number of them, and weights of each key.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: splits
func.func @whole(
    %q: tensor<1x17x32xf32> {heddle.name = "q"}, %k: tensor<1x?x32xf32> {heddle.name = "k", heddle.sizes = ["keys"]},
    %v: tensor<1x?x32xf32> {heddle.name = "v", heddle.sizes = ["keys"]},
    %open: tensor<1x?x32xf32> {heddle.name = "open", heddle.sizes = ["queries"]},
    %one: tensor<1x1x32xf32> {heddle.name = "one"})
    -> (tensor<1x17x32xf32> {heddle.name = "y"}, tensor<1x?x32xf32> {heddle.name = "z"},
        tensor<1x1x32xf32> {heddle.name = "o"}, tensor<1x1x1x?xf32> {heddle.name = "w"}) {
  %y = heddle.attention %q, %k, %v heads(1, kv = 1)
      : tensor<1x17x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  %z = heddle.attention %open, %k, %v heads(1, kv = 1)
      : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  %o, %w = heddle.attention %one, %k, %v heads(1, kv = 1) results(output, weights)
      : tensor<1x1x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  return %y, %z, %o, %w : tensor<1x17x32xf32>, tensor<1x?x32xf32>, tensor<1x1x32xf32>, tensor<1x1x1x?xf32>
}
