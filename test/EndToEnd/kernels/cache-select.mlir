// A call appends and then drops positions, of two layers of f32 and of i8.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified evict: {{[0-9]+}} kernels
// CHECK: verified evict_i8: {{[0-9]+}} kernels

module attributes {heddle.positions = 64 : i64} {
func.func @evict(%k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %kept: tensor<?x?xi64> {heddle.sizes = ["batch", "count"]}, %counts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> !heddle.cache<2 x 2 x 16 x f32> {
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %c2 = heddle.cache.append %c1, %k, %k layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %c3 = heddle.cache.select %c2 positions(%kept) lengths(%counts)
      : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?xi64>, tensor<?xi32>
  return %c3 : !heddle.cache<2 x 2 x 16 x f32>
}

func.func @evict_i8(%k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %kept: tensor<?x?xi32> {heddle.sizes = ["batch", "count"]}, %counts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 2 x 16 x i8> {heddle.sizes = ["batch", "capacity"]}) -> !heddle.cache<1 x 2 x 16 x i8> {
  %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 2 x 16 x i8>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %c2 = heddle.cache.select %c1 positions(%kept) lengths(%counts)
      : !heddle.cache<1 x 2 x 16 x i8>, tensor<?x?xi32>, tensor<?xi32>
  return %c2 : !heddle.cache<1 x 2 x 16 x i8>
}
}
