// What computes the elements that are appended to a cache stands in the kernel of the append.

// RUN: heddle-opt %s -split-input-file --heddle-to-kernels | FileCheck %s

// CHECK-LABEL: func.func @turned_keys
// CHECK-COUNT-1: heddle.launch @turned_keys_cache_append(
// CHECK-NOT: heddle.launch
// CHECK: heddle.kernel @turned_keys_cache_append(
// CHECK: %[[KEY:.*]] = heddle.generic
// CHECK: heddle.cache.append %{{.*}}, %[[KEY]], %{{.*}} layer(0)
func.func @turned_keys(%k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 4 x 8 x f32> {
  %turned = heddle.rotary %k at(%starts : tensor<?xi32>) heads(4) positions(64) base(10000.0) : tensor<?x?x32xf32>
  %c1 = heddle.cache.append %c, %turned, %v layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %c1 : !heddle.cache<1 x 4 x 8 x f32>
}

// -----

// A bias is added in the kernel of the product.
heddle.weight @w from "w" : tensor<32x64xf32>
heddle.weight @b from "b" : tensor<32xf32>

// CHECK-LABEL: func.func @with_bias
// CHECK: heddle.launch @with_bias_linear2(
// CHECK-NEXT: heddle.launch @with_bias_cache_append(
// CHECK-NOT: heddle.launch
// CHECK-LABEL: heddle.kernel @with_bias_cache_append(
// CHECK-NOT: heddle.generic
// CHECK: heddle.cache.append
func.func @with_bias(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 4 x 8 x f32> {
  %w = heddle.weight_ref @w : tensor<32x64xf32>
  %b = heddle.weight_ref @b : tensor<32xf32>
  %k = heddle.linear %x, %w bias(%b : tensor<32xf32>) : tensor<?x?x64xf32>, tensor<32x64xf32>
  %c1 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %c1 : !heddle.cache<1 x 4 x 8 x f32>
}

// -----

// What is read of the cache is complete before the append changes it.
// CHECK-LABEL: func.func @doubled
// CHECK: heddle.launch @doubled_addf(
// CHECK-NEXT: heddle.launch @doubled_cache_append(
// CHECK-NOT: heddle.launch
// CHECK-LABEL: heddle.kernel @doubled_cache_append(
// CHECK-NOT: heddle.generic
// CHECK: heddle.cache.append
func.func @doubled(%starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 4 x 8 x f32> {
  %key, %value = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %two = arith.addf %key, %key : tensor<?x?x32xf32>
  %c1 = heddle.cache.append %c, %two, %v layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  return %c1 : !heddle.cache<1 x 4 x 8 x f32>
}
