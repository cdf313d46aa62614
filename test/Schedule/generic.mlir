// RUN: heddle-opt %s --heddle-to-schedule=target-cpu=x86-64-v4 | FileCheck %s

// Row by row: what a row needs is computed inside its loop, sums in lanes.
// CHECK-LABEL: halide.pipeline @softmax_softmax5
// CHECK: halide.schedule
// CHECK: halide.split @[[Y:.*]] "d0" into ("block", "row") by 64
// CHECK: halide.reorder @[[Y]] ["d1", "row", "block"]
// CHECK: halide.vectorize @[[Y]] "d1" by 16
// CHECK: halide.parallel @[[Y]] "block"
// CHECK: halide.compute_at @[[SUM:fold.*]] @[[Y]] "row"
// CHECK: halide.compute_at @[[JOINED:joined.*]] @[[SUM]] "d1"
// CHECK: halide.vectorize @[[JOINED]] "lane" by 16
// CHECK: halide.compute_at @[[PARTIAL:partial.*]] @[[SUM]] "d1"
// CHECK: halide.bound_extent @[[PARTIAL]] "lane" 64
// CHECK: halide.vectorize @[[PARTIAL]] update(0) "lane" by 16
func.func @softmax(%x: tensor<6144x512xf32>) -> tensor<6144x512xf32> {
  %y = heddle.softmax %x axis(1) : tensor<6144x512xf32>
  return %y : tensor<6144x512xf32>
}

// Columns are summed side by side, a strip of them at a time.
// CHECK-LABEL: halide.pipeline @columns
// CHECK: halide.split @[[Y:.*]] "d0" into ("strip", "lane") by 512
// CHECK: halide.parallel @[[Y]] "strip"
// CHECK: halide.compute_at @[[FOLD:fold.*]] @[[Y]] "strip"
// CHECK: halide.reorder @[[FOLD]] update(0) ["d1", "r0"]
// CHECK: halide.vectorize @[[FOLD]] update(0) "d1" by 16
func.func @columns(%x: tensor<6144x4096xf32>) -> tensor<4096xf32> {
  %y = heddle.reduce sum %x axes [0] : tensor<6144x4096xf32> -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// Elements that lie side by side on one side only are moved in square tiles.
// CHECK-LABEL: halide.pipeline @transposed
// CHECK: halide.split @[[Y:.*]] "d1" into ("strip", "lane") by 16
// CHECK: halide.split @[[Y]] "d0" into ("across", "inner") by 16
// CHECK: halide.reorder @[[Y]] ["lane", "inner", "strip", "across"]
func.func @transposed(%x: tensor<2048x1024xf32>) -> tensor<1024x2048xf32> {
  %y = heddle.transpose %x permutation [1, 0] : tensor<2048x1024xf32> -> tensor<1024x2048xf32>
  return %y : tensor<1024x2048xf32>
}

// As many lanes as the widest number of an element leaves room for; of few elements,
// as many as there are.
// CHECK-LABEL: halide.pipeline @bytes
// CHECK: halide.vectorize @{{.*}} "d0" by 64
func.func @bytes(%x: tensor<512xi8>, %y: tensor<512xi8>) -> tensor<512xi8> {
  %z = arith.addi %x, %y : tensor<512xi8>
  return %z : tensor<512xi8>
}

// CHECK-LABEL: halide.pipeline @few_bytes
// CHECK: halide.vectorize @{{.*}} "d0" by 32 tail(shift_inwards)
func.func @few_bytes(%x: tensor<33xi8>, %y: tensor<33xi8>) -> tensor<33xi8> {
  %z = arith.addi %x, %y : tensor<33xi8>
  return %z : tensor<33xi8>
}

// CHECK-LABEL: halide.pipeline @widened
// CHECK: halide.vectorize @{{.*}} "d0" by 16
func.func @widened(%x: tensor<512xi8>) -> tensor<512xf32> {
  %z = arith.sitofp %x : tensor<512xi8> to tensor<512xf32>
  return %z : tensor<512xf32>
}

// CHECK-LABEL: halide.pipeline @wide
// CHECK: halide.vectorize @{{.*}} "d0" by 8
func.func @wide(%x: tensor<512xi64>) -> tensor<512xi1> {
  %z = arith.cmpi slt, %x, %x : tensor<512xi64>
  return %z : tensor<512xi1>
}

// CHECK-LABEL: halide.pipeline @wide_sum
// CHECK: halide.bound_extent @[[PARTIAL:partial.*]] "lane" 8
// CHECK: halide.vectorize @[[PARTIAL]] update(0) "lane" by 8
func.func @wide_sum(%x: tensor<512x24xi64>) -> tensor<512xi64> {
  %z = heddle.reduce sum %x axes [1] : tensor<512x24xi64> -> tensor<512xi64>
  return %z : tensor<512xi64>
}

// A loop over rows needs one sum at a time, whatever lies beside it.
// CHECK-LABEL: halide.pipeline @row_sums
// CHECK: halide.compute_at @[[SUM:fold.*]] @{{.*}} "d1"
// CHECK-NOT: halide.vectorize @[[SUM]]
func.func @row_sums(%x: tensor<3x16x4xf32>, %w: tensor<16xf32>) -> tensor<3x16x4xf32> {
  %s = heddle.generic over [3, 16] reduce [4] initial [0.0 : f32] ins(%x : tensor<3x16x4xf32>)
      maps [affine_map<(b, i, j) -> (b, i, j)>] {
  ^bb0(%e: f32, %sum: f32):
    %0 = arith.addf %sum, %e : f32
    heddle.yield %0 : f32
  } : tensor<3x16xf32>
  %y = heddle.generic over [3, 16, 4] ins(%x, %s, %w : tensor<3x16x4xf32>, tensor<3x16xf32>, tensor<16xf32>)
      maps [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (i)>] {
  ^bb0(%e: f32, %sum: f32, %f: f32):
    %0 = arith.mulf %e, %sum : f32
    %1 = arith.addf %0, %f : f32
    heddle.yield %1 : f32
  } : tensor<3x16x4xf32>
  return %y : tensor<3x16x4xf32>
}

// What is kept has room for whole vectors, so that Halide keeps the guard of the last.
// CHECK-LABEL: halide.pipeline @kept_rows
// CHECK: halide.align_storage @fold{{.*}} "d2" 16
func.func @kept_rows(%x: tensor<7x?x33xf32> {heddle.sizes = ["n"]}) -> tensor<7x33xf32> {
  %y = heddle.reduce max %x axes [1] : tensor<7x?x33xf32> -> tensor<7x33xf32>
  return %y : tensor<7x33xf32>
}

// Where a stride may be 0 or 1, vectors are made of either.
// CHECK-LABEL: halide.pipeline @broadcast
// CHECK: halide.specialize @[[Y:generic.*]] "min(1, floordiv(b, 2))" eq 1 {
// CHECK-NEXT: halide.split @[[Y]] "d1" into ("vector", "lane") by 16
// CHECK: halide.specialize @[[Y]] "min(1, floordiv(b, 2))" eq 0 {
// CHECK-NEXT: halide.split @[[Y]] "d1" into ("vector", "lane") by 16
func.func @broadcast(%x: tensor<?x?xf32> {heddle.sizes = ["n", "m"]}, %y: tensor<?xf32> {heddle.sizes = ["b"]}) -> tensor<?x?xf32> {
  %v = heddle.broadcast %y to ["n", "m"] : tensor<?xf32> -> tensor<?x?xf32>
  %z = arith.addf %x, %v : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
