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
