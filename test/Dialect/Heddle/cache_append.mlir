// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @cache_append
func.func @cache_append(%cache: !heddle.cache<5 x 4 x 8 x f32>, %k: tensor<?x?x32xf32>,
    %v: tensor<?x?x32xf32>, %starts: tensor<?xi32>, %lengths: tensor<?xi32>)
    -> !heddle.cache<5 x 4 x 8 x f32> {
  // CHECK: heddle.cache.append %{{.*}}, %{{.*}}, %{{.*}} layer(4) at(%{{.*}}) lengths(%{{.*}})
  // CHECK-SAME: : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %0 = heddle.cache.append %cache, %k, %v layer(4) at(%starts) lengths(%lengths)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return %0 : !heddle.cache<5 x 4 x 8 x f32>
}

// The old value may be read before the append, the new one after it.
// CHECK-LABEL: func.func @cache_append_after_read
func.func @cache_append_after_read(%cache: !heddle.cache<5 x 4 x 8 x f32>,
    %k: tensor<?x?x32xf32>, %n: tensor<?xi32>) -> tensor<?x?x32xf32> {
  %rk, %rv = heddle.cache.read %cache layer(1) : !heddle.cache<5 x 4 x 8 x f32>
  %other, %unused = heddle.cache.read %cache layer(3) : !heddle.cache<5 x 4 x 8 x f32>
  %sum = arith.addf %rk, %rv : tensor<?x?x32xf32>
  %0 = heddle.cache.append %cache, %k, %k layer(1) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  %1 = heddle.cache.append %0, %k, %k layer(2) at(%n) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  // CHECK: heddle.cache.read %{{.*}} layer(1)
  %key, %value = heddle.cache.read %1 layer(1) : !heddle.cache<5 x 4 x 8 x f32>
  // Appending to one layer leaves the others as they were.
  %both = arith.addf %sum, %other : tensor<?x?x32xf32>
  %last = arith.addf %both, %key : tensor<?x?x32xf32>
  return %last : tensor<?x?x32xf32>
}

// CHECK-LABEL: func.func @cache_append_in_pages
func.func @cache_append_in_pages(%cache: !heddle.cache<5 x 4 x 8 x f16, values 16 x f32>,
    %k: tensor<?x?x32xf32>, %v: tensor<?x?x64xf32>, %n: tensor<?xi32>, %table: tensor<?x?xi32>)
    -> !heddle.cache<5 x 4 x 8 x f16, values 16 x f32> {
  // CHECK: heddle.cache.append %{{.*}} layer(4) at(%{{.*}}) lengths(%{{.*}}) pages(%{{.*}} : tensor<?x?xi32>) :
  %0 = heddle.cache.append %cache, %k, %v layer(4) at(%n) lengths(%n) pages(%table : tensor<?x?xi32>)
     : !heddle.cache<5 x 4 x 8 x f16, values 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x64xf32>,
       tensor<?xi32>, tensor<?xi32>
  return %0 : !heddle.cache<5 x 4 x 8 x f16, values 16 x f32>
}

// CHECK-LABEL: func.func @cache_append_to_ring
func.func @cache_append_to_ring(%cache: !heddle.cache<5 x 4 x 8 x i8, values 8 x bf16>,
    %k: tensor<?x?x32xf32>, %q: tensor<?x?x32xi8>, %s: tensor<?x?x4xf32>, %n: tensor<?xi32>)
    -> !heddle.cache<5 x 4 x 8 x i8, values 8 x bf16> {
  // CHECK: heddle.cache.append %{{.*}} lengths(%{{.*}}) ring :
  %0 = heddle.cache.append %cache, %k, %k layer(4) at(%n) lengths(%n) ring
     : !heddle.cache<5 x 4 x 8 x i8, values 8 x bf16>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  // CHECK: heddle.cache.append %{{.*}} ring key_scales(%{{.*}} : tensor<?x?x4xf32>) : {{.*}} tensor<?x?x32xi8>, tensor<?x?x32xf32>,
  %1 = heddle.cache.append %0, %q, %k layer(4) at(%n) lengths(%n) ring key_scales(%s : tensor<?x?x4xf32>)
     : !heddle.cache<5 x 4 x 8 x i8, values 8 x bf16>, tensor<?x?x32xi8>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return %1 : !heddle.cache<5 x 4 x 8 x i8, values 8 x bf16>
}

// CHECK-LABEL: func.func @cache_append_from_0
func.func @cache_append_from_0(%cache: !heddle.cache<5 x 4 x 8 x f32>, %k: tensor<2x7x32xf32>, %n: tensor<2xi32>)
    -> !heddle.cache<5 x 4 x 8 x f32> {
  // CHECK: heddle.cache.append %{{.*}}, %{{.*}}, %{{.*}} layer(0) : !heddle.cache<5 x 4 x 8 x f32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>{{$}}
  %0 = heddle.cache.append %cache, %k, %k layer(0) : !heddle.cache<5 x 4 x 8 x f32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>
  // CHECK: layer(1) lengths(%{{.*}}) : !heddle.cache<5 x 4 x 8 x f32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2xi32>{{$}}
  %1 = heddle.cache.append %0, %k, %k layer(1) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2xi32>
  // CHECK: layer(2) at(%{{.*}}) : !heddle.cache<5 x 4 x 8 x f32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2xi32>{{$}}
  %2 = heddle.cache.append %1, %k, %k layer(2) at(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2xi32>
  return %2 : !heddle.cache<5 x 4 x 8 x f32>
}
