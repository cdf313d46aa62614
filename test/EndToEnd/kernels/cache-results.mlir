// Results of attention to a cache, of short elements: as it is, and in pages whose size only a call
// knows.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified pages as a whole
// CHECK: verified plain as a whole

func.func @pages(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}, %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}, %table: tensor<?x?xi32> {heddle.sizes = ["batch", "columns"]},
    %c: !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16> {heddle.sizes = ["pool", "page"]}) -> (tensor<?x?x64xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>) {
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths) pages(%table : tensor<?x?xi32>) : !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %rk, %rv = heddle.cache.read %c1 layer(0) pages(%table : tensor<?x?xi32>) : !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o, %cs, %w = heddle.attention %q, %rk, %rv mask(%m) heads(4, kv = 2) results(output, column_sums, weights) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o, %cs, %w, %c1 : tensor<?x?x64xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>
}

func.func @plain(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}, %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x64xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>) {
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %rk, %rv = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o, %max, %w = heddle.attention %q, %rk, %rv mask(%m) heads(4, kv = 2) results(output, maximum, weights) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o, %max, %w, %c1 : tensor<?x?x64xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>, !heddle.cache<1 x 2 x 16 x i8, values 16 x bf16>
}
