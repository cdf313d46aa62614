// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[TRANSPOSED:.*]] = affine_map<(d0, d1) -> (d1, d0)>

// Destinations go; what fills them is where the sum begins.
// CHECK-LABEL: func.func @matmul
// CHECK: heddle.generic over ["n", 7] reduce [5] initial [0.0{{.*}} : f32] ins(%{{.*}}, %{{.*}} : {{.*}}) maps [#[[LEFT]], #[[RIGHT]]]
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @matmul(%a: tensor<?x5xf32> {heddle.sizes = ["n"]}, %b: tensor<5x7xf32>) -> tensor<?x7xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%n) : tensor<?x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x5xf32>, tensor<5x7xf32>) outs(%f : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %c : tensor<?x7xf32>
}

// Loops take the order of the result.
// CHECK-LABEL: func.func @transposed
// CHECK: heddle.generic over [7, 5] ins(%{{.*}} : tensor<5x7xf32>) maps [#[[TRANSPOSED]]]
func.func @transposed(%a: tensor<5x7xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x5xf32>
  return %t : tensor<7x5xf32>
}

// CHECK-LABEL: func.func @index
// CHECK: %[[I:.*]] = heddle.index 1
// CHECK: arith.extsi %[[I]] : i32 to i64
// CHECK: %[[C:.*]] = arith.constant 3 : i64
func.func @index(%a: tensor<5x7xi64>) -> tensor<5x7xi64> {
  %three = arith.constant 3 : i64
  %t = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%a : tensor<5x7xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 1 : index
    %0 = arith.index_cast %i : index to i64
    %1 = arith.addi %0, %old : i64
    %2 = arith.muli %1, %three : i64
    linalg.yield %2 : i64
  } -> tensor<5x7xi64>
  return %t : tensor<5x7xi64>
}

// CHECK-LABEL: func.func @softmax
// CHECK: heddle.softmax %{{.*}} axis(1)
func.func @softmax(%a: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %t = linalg.softmax dimension(1) ins(%a : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %t : tensor<5x7xf32>
}

// What a reduction begins with, if it is no number, is combined with its result.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<5x7xf32>)
// CHECK: %[[SUM:.*]] = heddle.generic over [5, 7] reduce [3] initial [{{-?}}0.0{{.*}} : f32]
// CHECK: %[[ALL:.*]] = heddle.generic over [5, 7] ins(%[[C]], %[[SUM]] : {{.*}}) maps [#[[SAME]], #[[SAME]]] {
// CHECK-NEXT: ^bb0(%[[BEGIN:.*]]: f32, %[[END:.*]]: f32):
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[BEGIN]], %[[END]] : f32
// CHECK-NEXT: heddle.yield %[[BOTH]] : f32
// CHECK: return %[[ALL]]
func.func @accumulate(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %t = linalg.matmul ins(%a, %b : tensor<5x3xf32>, tensor<3x7xf32>) outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %t : tensor<5x7xf32>
}

// Each result begins by itself: a constant stays what it is.
// CHECK-LABEL: func.func @accumulate_one_of_two(
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<5xi32>)
// CHECK: %[[SUMS:.*]]:2 = heddle.generic over [5] reduce [3] initial [7 : i32, -2147483648 : i32]
// CHECK: %[[AGAIN:.*]]:2 = heddle.generic over [5] reduce [3] initial [7 : i32, -2147483648 : i32]
// CHECK: %[[MOST:.*]] = heddle.generic over [5] ins(%[[B]], %[[AGAIN]]#1
// CHECK: arith.maxsi
// CHECK: return %[[SUMS]]#0, %[[MOST]]
func.func @accumulate_one_of_two(%a: tensor<5x3xi32>, %b: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  %seven = arith.constant 7 : i32
  %e = tensor.empty() : tensor<5xi32>
  %f = linalg.fill ins(%seven : i32) outs(%e : tensor<5xi32>) -> tensor<5xi32>
  %t:2 = linalg.reduce ins(%a, %a : tensor<5x3xi32>, tensor<5x3xi32>) outs(%f, %b : tensor<5xi32>, tensor<5xi32>) dimensions = [1]
    (%x: i32, %y: i32, %sum: i32, %most: i32) {
      %0 = arith.subi %sum, %x : i32
      %1 = arith.maxsi %y, %most : i32
      linalg.yield %0, %1 : i32, i32
    }
  return %t#0, %t#1 : tensor<5xi32>, tensor<5xi32>
}

// Scalars from outside may be made of sizes.
// CHECK-LABEL: func.func @mean
// CHECK: heddle.generic over ["n"]
// CHECK: %[[SIZE:.*]] = heddle.size "m" : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[SIZE]] : i32 to i64
// CHECK: %[[COUNT:.*]] = arith.sitofp %[[WIDE]] : i64 to f32
// CHECK: arith.divf %{{.*}}, %[[COUNT]] : f32
func.func @mean(%a: tensor<?xf32> {heddle.sizes = ["n"]}, %b: tensor<?xf32> {heddle.sizes = ["m"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %i = arith.index_cast %m : index to i64
  %count = arith.sitofp %i : i64 to f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %count : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %t : tensor<?xf32>
}
