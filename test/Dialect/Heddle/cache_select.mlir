// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @cache_select
func.func @cache_select(%cache: !heddle.cache<5 x 4 x 8 x f32>, %p: tensor<?x?xi64>,
    %n: tensor<?xi32>, %s: tensor<?xi32>) -> !heddle.cache<5 x 4 x 8 x f32> {
  // CHECK: heddle.cache.select %{{.*}} positions(%{{.*}}) lengths(%{{.*}}) : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi64>, tensor<?xi32>
  %0 = heddle.cache.select %cache positions(%p) lengths(%n)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi64>, tensor<?xi32>
  // CHECK: heddle.cache.select %{{.*}} positions(%{{.*}}) lengths(%{{.*}}) sequences(%{{.*}} : tensor<?xi32>) :
  %1 = heddle.cache.select %0 positions(%p) lengths(%n) sequences(%s : tensor<?xi32>)
     : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi64>, tensor<?xi32>
  return %1 : !heddle.cache<5 x 4 x 8 x f32>
}
