// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise --heddle-merge-generics --heddle-find-contractions --heddle-form-kernels | FileCheck %s

// Softmax needs all of a row, and nothing of others.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: heddle.launch @softmax_softmax5
// CHECK-NEXT: return
func.func @softmax(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %y = heddle.softmax %x axis(1) : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Rows may be columns, too.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-1: heddle.launch @columns_softmax5
// CHECK-NEXT: return
func.func @columns(%x: tensor<64x?xf32> {heddle.sizes = ["n"]}) -> tensor<64x?xf32> {
  %y = heddle.softmax %x axis(0) : tensor<64x?xf32>
  return %y : tensor<64x?xf32>
}

// The sum of the columns has to be complete before a row can use it.
// CHECK-LABEL: func.func @complete
// CHECK: heddle.launch
// CHECK: heddle.launch
// CHECK-NEXT: return
func.func @complete(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %s = heddle.reduce sum %x axes [0, 1] keep_sizes : tensor<?x64xf32> -> tensor<1x1xf32>
  %b = heddle.broadcast %s to ["n", 64] : tensor<1x1xf32> -> tensor<?x64xf32>
  %y = arith.divf %x, %b : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Rows of a size that is not known cannot be kept.
// CHECK-LABEL: func.func @long
// CHECK-COUNT-2: heddle.launch
// CHECK-NEXT: return
func.func @long(%x: tensor<8x?xf32> {heddle.sizes = ["n"]}) -> tensor<8x?xf32> {
  %y = heddle.softmax %x axis(1) : tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// What is computed of the elements of a product joins it.
// CHECK-LABEL: func.func @epilogue
// CHECK-COUNT-1: heddle.launch @epilogue_matmul_exp
// CHECK-NEXT: return
func.func @epilogue(%a: tensor<3x32x24xf32>, %b: tensor<3x24x64xf32>) -> tensor<3x32x64xf32> {
  %c = heddle.matmul %a, %b : tensor<3x32x24xf32>, tensor<3x24x64xf32> -> tensor<3x32x64xf32>
  %e = math.exp %c : tensor<3x32x64xf32>
  return %e : tensor<3x32x64xf32>
}

// What has more dimensions than a product would compute it once for each of their elements.
// CHECK-LABEL: func.func @repeated
// CHECK: heddle.launch @repeated_matmul
// CHECK-NEXT: heddle.launch @repeated_addf
// CHECK-NEXT: return
func.func @repeated(%a: tensor<3x32x24xf32>, %b: tensor<3x24x64xf32>, %x: tensor<3x7x32x64xf32>) -> tensor<3x7x32x64xf32> {
  %c = heddle.matmul %a, %b : tensor<3x32x24xf32>, tensor<3x24x64xf32> -> tensor<3x32x64xf32>
  %e = heddle.expand %c axes [1] : tensor<3x32x64xf32> -> tensor<3x1x32x64xf32>
  %r = heddle.broadcast %e to [3, 7, 32, 64] : tensor<3x1x32x64xf32> -> tensor<3x7x32x64xf32>
  %y = arith.addf %r, %x : tensor<3x7x32x64xf32>
  return %y : tensor<3x7x32x64xf32>
}

// A reduction beside the tiles of a contraction has its dimensions: one that leaves a dimension
// of one element out has less.
// CHECK-LABEL: func.func @pooled
// CHECK: heddle.launch @pooled_linear(
// CHECK: heddle.launch @pooled_pool_tokens
heddle.weight @pooled_w from "w" : tensor<48x48xf32>
func.func @pooled(%x: tensor<?x1x48xf32> {heddle.sizes = ["n"]}, %lengths: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x48xf32> {
  %w = heddle.weight_ref @pooled_w : tensor<48x48xf32>
  %y = heddle.linear %x, %w : tensor<?x1x48xf32>, tensor<48x48xf32>
  %p = heddle.pool_tokens max %y, %lengths : tensor<?x1x48xf32>, tensor<?xi32>
  return %p : tensor<?x48xf32>
}

// Nor does one whose dimensions of one element stand elsewhere join.
// CHECK-LABEL: func.func @turned
// CHECK: heddle.launch @{{.*}}_linear(
// CHECK: heddle.launch @turned_reduce
func.func @turned(%x: tensor<1x?x48xf32> {heddle.sizes = ["n"]}) -> tensor<?x1x48xf32> {
  %w = heddle.weight_ref @pooled_w : tensor<48x48xf32>
  %y = heddle.linear %x, %w : tensor<1x?x48xf32>, tensor<48x48xf32>
  %t = heddle.transpose %y permutation [1, 0, 2] : tensor<1x?x48xf32> -> tensor<?x1x48xf32>
  %p = heddle.reduce max %t axes [1] keep_sizes : tensor<?x1x48xf32> -> tensor<?x1x48xf32>
  return %p : tensor<?x1x48xf32>
}
