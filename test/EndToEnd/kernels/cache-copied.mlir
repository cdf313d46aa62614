// What was read of a cache is a view. Where it is a result, or passes through control flow,
// it is a copy, of what the cache held before it was changed.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// CHECK: verified returned: 2 kernels
// CHECK: verified returned as a whole
// CHECK: verified chosen: 4 kernels
// CHECK: verified chosen as a whole
// CHECK: verified seen_before as a whole
// CHECK: verified part_before as a whole
// CHECK: verified heads_before as a whole
// CHECK: verified products_before as a whole
// CHECK: verified many_before as a whole

// KERNELS-LABEL: func.func @returned
// KERNELS: heddle.launch @returned_cache_read(
func.func @returned(%cache: !heddle.cache<2 x 2 x 8 x i8, values 4 x bf16> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x16xf32>, tensor<?x?x8xf32>) {
  %k, %v = heddle.cache.read %cache layer(1) : !heddle.cache<2 x 2 x 8 x i8, values 4 x bf16>
  return %k, %v : tensor<?x?x16xf32>, tensor<?x?x8xf32>
}

func.func @chosen(%cache: !heddle.cache<1 x 2 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %x: tensor<?x1x16xf32> {heddle.sizes = ["batch"]}, %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}, %flag: tensor<i1>)
    -> (!heddle.cache<1 x 2 x 8 x f32>, tensor<?x?x16xf32>) {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 2 x 8 x f32>
  %isKey = tensor.extract %flag[] : tensor<i1>
  %one = scf.if %isKey -> tensor<?x?x16xf32> {
    scf.yield %k : tensor<?x?x16xf32>
  } else {
    scf.yield %v : tensor<?x?x16xf32>
  }
  %changed = heddle.cache.append %cache, %x, %x layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  %twice = arith.addf %one, %one : tensor<?x?x16xf32>
  return %changed, %twice : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x?x16xf32>
}

// Views of what the cache held before the append are not made behind it.
func.func @seen_before(%q: tensor<?x1x32xf32> {heddle.sizes = ["batch"]}, %k: tensor<?x1x32xf32> {heddle.sizes = ["batch"]},
   %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
   %c: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["batch", "40"]}) -> (tensor<?x1x32xf32>, !heddle.cache<1 x 2 x 16 x f32>) {
  %k0, %v0 = heddle.cache.read %c layer(0) : !heddle.cache<1 x 2 x 16 x f32>
  %ks = heddle.slice %k0 offsets [0, 0, 0] sizes ["batch", 8, 32] steps [1, 1, 1] : tensor<?x?x32xf32> -> tensor<?x8x32xf32>
  %vs = heddle.slice %v0 offsets [0, 0, 0] sizes ["batch", 8, 32] steps [1, 1, 1] : tensor<?x?x32xf32> -> tensor<?x8x32xf32>
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 2 x 16 x f32>, tensor<?x1x32xf32>, tensor<?x1x32xf32>, tensor<?xi32>, tensor<?xi32>
  %o = heddle.attention %q, %ks, %vs heads(2, kv = 2) : tensor<?x1x32xf32>, tensor<?x8x32xf32>, tensor<?x8x32xf32>
  return %o, %c1 : tensor<?x1x32xf32>, !heddle.cache<1 x 2 x 16 x f32>
}

func.func @part_before(%q: tensor<?x1x32xf32> {heddle.sizes = ["batch"]}, %k: tensor<?x1x32xf32> {heddle.sizes = ["batch"]},
   %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
   %c: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["batch", "40"]}) -> (tensor<?x8x32xf32>, !heddle.cache<1 x 2 x 16 x f32>) {
  %k0, %v0 = heddle.cache.read %c layer(0) : !heddle.cache<1 x 2 x 16 x f32>
  %ks = heddle.slice %k0 offsets [0, 0, 0] sizes ["batch", 8, 32] steps [1, 1, 1] : tensor<?x?x32xf32> -> tensor<?x8x32xf32>
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 2 x 16 x f32>, tensor<?x1x32xf32>, tensor<?x1x32xf32>, tensor<?xi32>, tensor<?xi32>
  %o = arith.addf %ks, %ks : tensor<?x8x32xf32>
  return %o, %c1 : tensor<?x8x32xf32>, !heddle.cache<1 x 2 x 16 x f32>
}

func.func @heads_before(%q: tensor<?x1x2x8xf32> {heddle.sizes = ["batch"]}, %x: tensor<?x1x16xf32> {heddle.sizes = ["batch"]},
   %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
   %c: !heddle.cache<1 x 2 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x2x8xf32>, !heddle.cache<1 x 2 x 8 x f32>) {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 2 x 8 x f32>
  %h = heddle.reshape %k to ["batch", "capacity", 2, 8] : tensor<?x?x16xf32> -> tensor<?x?x2x8xf32>
  %c1 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  %m = heddle.mask.lengths %starts : tensor<?xi32>
  %o = heddle.attention %q, %h, %h mask(%m) heads(2, kv = 2) layout(batch, length, head, channel) : tensor<?x1x2x8xf32>, tensor<?x?x2x8xf32>, tensor<?x?x2x8xf32>
  return %o, %c1 : tensor<?x1x2x8xf32>, !heddle.cache<1 x 2 x 8 x f32>
}

// Scores of old keys stay scores: as attention behind the append they would be those of new ones.
func.func @products_before(%q: tensor<?x1x16xf32> {heddle.sizes = ["batch"]}, %x: tensor<?x1x16xf32> {heddle.sizes = ["batch"]},
   %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
   %c: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x16xf32>, !heddle.cache<1 x 1 x 16 x f32>) {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 1 x 16 x f32>
  %s = heddle.matmul %q, %k transpose_b : tensor<?x1x16xf32>, tensor<?x?x16xf32> -> tensor<?x1x?xf32>
  %v0 = arith.negf %v : tensor<?x?x16xf32>
  %c1 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  %w = heddle.softmax %s axis(2) : tensor<?x1x?xf32>
  %o = heddle.matmul %w, %v0 : tensor<?x1x?xf32>, tensor<?x?x16xf32> -> tensor<?x1x16xf32>
  return %o, %c1 : tensor<?x1x16xf32>, !heddle.cache<1 x 1 x 16 x f32>
}

// Values of many queries are not packed behind the append.
func.func @many_before(%q: tensor<?x9x2x8xf32> {heddle.sizes = ["batch"]}, %x: tensor<?x1x16xf32> {heddle.sizes = ["batch"]},
    %key: tensor<?x?x2x8xf32> {heddle.sizes = ["batch", "capacity"]}, %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x9x2x8xf32>, !heddle.cache<1 x 2 x 8 x f32>) {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 2 x 8 x f32>
  %heads = heddle.reshape %v to ["batch", "capacity", 2, 8] : tensor<?x?x16xf32> -> tensor<?x?x2x8xf32>
  %changed = heddle.cache.append %cache, %x, %x layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 2 x 8 x f32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?xi32>, tensor<?xi32>
  %o = heddle.attention %q, %key, %heads heads(2, kv = 2) layout(batch, length, head, channel)
      : tensor<?x9x2x8xf32>, tensor<?x?x2x8xf32>, tensor<?x?x2x8xf32>
  return %o, %changed : tensor<?x9x2x8xf32>, !heddle.cache<1 x 2 x 8 x f32>
}
