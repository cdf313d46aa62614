// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @cache_read
func.func @cache_read(%cache: !heddle.cache<5 x 4 x 8 x f32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  // CHECK: heddle.cache.read %{{.*}} layer(4) : !heddle.cache<5 x 4 x 8 x f32>
  %k, %v = heddle.cache.read %cache layer(4) : !heddle.cache<5 x 4 x 8 x f32>
  return %k, %v : tensor<?x?x32xf32>, tensor<?x?x32xf32>
}

// Elements are f32, whatever the cache holds.
// CHECK-LABEL: func.func @cache_read_pages
func.func @cache_read_pages(%cache: !heddle.cache<5 x 4 x 8 x i8, values 16 x bf16>, %table: tensor<?x?xi32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x64xf32>) {
  // CHECK: heddle.cache.read %{{.*}} layer(4) pages(%{{.*}} : tensor<?x?xi32>) : !heddle.cache<5 x 4 x 8 x i8, values 16 x bf16>
  %k, %v = heddle.cache.read %cache layer(4) pages(%table : tensor<?x?xi32>) : !heddle.cache<5 x 4 x 8 x i8, values 16 x bf16>
  return %k, %v : tensor<?x?x32xf32>, tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @cache_read_ring
func.func @cache_read_ring(%cache: !heddle.cache<5 x 4 x 8 x f32>) {
  // CHECK: heddle.cache.read %{{.*}} layer(4) ring("2 * n") : !heddle.cache<5 x 4 x 8 x f32, <"batch", "64">>
  %c = builtin.unrealized_conversion_cast %cache : !heddle.cache<5 x 4 x 8 x f32> to !heddle.cache<5 x 4 x 8 x f32, <"batch", "64">>
  %k, %v = heddle.cache.read %c layer(4) ring("2 * n") : !heddle.cache<5 x 4 x 8 x f32, <"batch", "64">>
  return
}
