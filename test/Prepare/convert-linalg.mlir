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

// A table is read at coordinates of 32 bits; wider ones are limited to those.
// CHECK-LABEL: func.func @embed
// CHECK: heddle.generic over ["n", 8] ins(%{{.*}} : {{.*}}) maps {{.*}} tables(%{{.*}} : tensor<50x8xf32>)
// CHECK-NEXT: ^bb0(%[[ID:.*]]: i64, %[[TABLE:.*]]: tensor<50x8xf32>):
// CHECK: %[[COLUMN:.*]] = heddle.index 1
// CHECK: arith.minsi %[[ID]]
// CHECK: %[[ROW:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: heddle.read %[[TABLE]][%[[ROW]], %[[COLUMN]]] : tensor<50x8xf32>
func.func @embed(%ids: tensor<?xi64> {heddle.sizes = ["n"]}, %table: tensor<50x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?xi64>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%id: i64, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %0 = tensor.extract %table[%row, %column] : tensor<50x8xf32>
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %t : tensor<?x8xf32>
}

// Sums and products that end in a read, or never leave 32 bits, have no more.
// CHECK-LABEL: func.func @coordinates
// CHECK: %[[I:.*]] = heddle.index 0
// CHECK: %[[N:.*]] = heddle.size "n" : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %{{.*}} : i32
// CHECK: arith.subi %[[LAST]], %[[I]] : i32
// CHECK: arith.floordivsi %{{.*}} : i32
// CHECK: arith.muli %{{.*}} : i32
func.func @coordinates(%x: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %last = arith.subi %n, %c1 : index
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<?xi32>) {
  ^bb0(%old: i32):
    %i = linalg.index 0 : index
    %0 = arith.subi %last, %i : index
    %1 = arith.floordivsi %0, %c2 : index
    %2 = arith.muli %1, %n : index
    %3 = tensor.extract %x[%2] : tensor<?xi32>
    linalg.yield %3 : i32
  } -> tensor<?xi32>
  return %t : tensor<?xi32>
}

// Other indices have 64 bits, as elsewhere.
// CHECK-LABEL: func.func @numbers
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.muli %{{.*}}, %[[WIDE]] : i64
// CHECK: arith.remui %{{.*}} : i64
func.func @numbers(%x: tensor<5xi64>) -> tensor<5xi64> {
  %c7 = arith.constant 7 : index
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<5xi64>) {
  ^bb0(%old: i64):
    %0 = arith.index_cast %old : i64 to index
    %1 = arith.muli %0, %c7 : index
    // A constant inside is the same.
    %nine = arith.constant 9 : index
    %2 = arith.remui %1, %nine : index
    %3 = arith.index_cast %2 : index to i64
    linalg.yield %3 : i64
  } -> tensor<5xi64>
  return %t : tensor<5xi64>
}

// An element of a tensor is a number from outside.
// CHECK-LABEL: func.func @element
// CHECK: heddle.generic over [5] tables(%{{.*}} : tensor<4xf32>)
// CHECK: %[[AT:.*]] = arith.constant 2 : i32
// CHECK: %[[S:.*]] = heddle.read %{{.*}}[%[[AT]]] : tensor<4xf32>
// CHECK: %[[DOUBLE:.*]] = arith.addf %[[S]], %[[S]] : f32
// CHECK: heddle.yield %[[DOUBLE]] : f32
func.func @element(%x: tensor<4xf32>) -> tensor<5xf32> {
  %c2 = arith.constant 2 : index
  %s = tensor.extract %x[%c2] : tensor<4xf32>
  %double = arith.addf %s, %s : f32
  %e = tensor.empty() : tensor<5xf32>
  %t = linalg.fill ins(%double : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  return %t : tensor<5xf32>
}
