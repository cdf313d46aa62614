// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @cache_read
func.func @cache_read(%cache: !heddle.cache<5 x 4 x 8 x f32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  // CHECK: heddle.cache.read %{{.*}} layer(4) : !heddle.cache<5 x 4 x 8 x f32>
  %k, %v = heddle.cache.read %cache layer(4) : !heddle.cache<5 x 4 x 8 x f32>
  return %k, %v : tensor<?x?x32xf32>, tensor<?x?x32xf32>
}
