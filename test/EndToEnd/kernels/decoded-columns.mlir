// Columns in panels that are decoded with what is in no panels: lanes past the last column
// read none of it.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// CHECK: verified argument as a whole
// CHECK: verified factor as a whole
// CHECK: verified groups_of_columns as a whole
// CHECK: verified unsigned as a whole

heddle.weight @q = dense<3> : tensor<41x64xi8>
heddle.weight @t = dense<0.5> : tensor<2x44xf32>
heddle.weight @p = dense<7> : tensor<44x44xi8>

func.func @argument(%x: tensor<1x64xf32>, %s: tensor<41x1xf32>) -> tensor<1x41xf32> {
  %q = heddle.weight_ref @q : tensor<41x64xi8>
  %w = heddle.dequantize %q, %s axis(1) : tensor<41x64xi8>, tensor<41x1xf32> -> tensor<41x64xf32>
  %y = heddle.linear %x, %w : tensor<1x64xf32>, tensor<41x64xf32>
  return %y : tensor<1x41xf32>
}

func.func @factor(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %s: tensor<41x64xf32>) -> tensor<?x41xf32> {
  %q = heddle.weight_ref @q : tensor<41x64xi8>
  %y = heddle.generic over ["n", 41] reduce [64] initial [0.0 : f32]
      ins(%x, %q, %s : tensor<?x64xf32>, tensor<41x64xi8>, tensor<41x64xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %code: i8, %scale: f32, %sum: f32):
    %0 = arith.sitofp %code : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x41xf32>
  return %y : tensor<?x41xf32>
}

// 44 columns are in three panels of 16, or in fewer that are wider.
func.func @groups_of_columns(%x: tensor<?x44xf32> {heddle.sizes = ["n"]}) -> tensor<?x44xf32> {
  %q = heddle.weight_ref @p : tensor<44x44xi8>
  %t = heddle.weight_ref @t : tensor<2x44xf32>
  %w = heddle.dequantize %q, %t axis(0) : tensor<44x44xi8>, tensor<2x44xf32> -> tensor<44x44xf32>
  %y = heddle.linear %x, %w : tensor<?x44xf32>, tensor<44x44xf32>
  return %y : tensor<?x44xf32>
}

// Integers without a sign that are no weights are packed for it.
func.func @unsigned(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %q: tensor<128x64xui8>) -> tensor<?x128xf32> {
  %w = heddle.cast %q : tensor<128x64xui8> -> tensor<128x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<128x64xf32>
  return %y : tensor<?x128xf32>
}
