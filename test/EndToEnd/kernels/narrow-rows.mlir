// Rows that are shorter than a vector, some of a length that a call knows: nothing is read past
// the last one, behind which nothing may be accessed.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified conv as a whole
// CHECK: verified conv3 as a whole
// CHECK: verified conv3_padded as a whole
// CHECK: verified product as a whole
// CHECK: verified patches as a whole
// CHECK: verified group_norm as a whole
// CHECK: verified images as a whole
// CHECK: verified row_sums as a whole

func.func @conv(%x: tensor<?x20x?xf32> {heddle.sizes=["n","l"], heddle.name="x"}, %w: tensor<64x20x1xf32> {heddle.name="w"}) -> (tensor<?x64x?xf32> {heddle.name="y"})
    attributes {heddle.symbols=[#heddle.symbol<"n", 1 to 100>, #heddle.symbol<"l", 1 to 1000>]} {
  %y = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(1) : tensor<?x20x?xf32>, tensor<64x20x1xf32>
  return %y : tensor<?x64x?xf32>
}
func.func @conv3(%x: tensor<?x20x?xf32> {heddle.sizes=["n","l"], heddle.name="x"}, %w: tensor<64x20x3xf32> {heddle.name="w"}) -> (tensor<?x64x?xf32> {heddle.name="y"})
    attributes {heddle.symbols=[#heddle.symbol<"n", 1 to 100>, #heddle.symbol<"l", 3 to 1000>]} {
  %y = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(1) : tensor<?x20x?xf32>, tensor<64x20x3xf32>
  return %y : tensor<?x64x?xf32>
}
func.func @conv3_padded(%x: tensor<?x20x?xf32> {heddle.sizes=["n","l"], heddle.name="x"}, %w: tensor<64x20x3xf32> {heddle.name="w"}) -> (tensor<?x64x?xf32> {heddle.name="y"})
    attributes {heddle.symbols=[#heddle.symbol<"n", 1 to 100>, #heddle.symbol<"l", 1 to 1000>]} {
  %y = heddle.conv_1d %x, %w stride(1) padding(1) dilation(1) groups(1) : tensor<?x20x?xf32>, tensor<64x20x3xf32>
  return %y : tensor<?x64x?xf32>
}
func.func @product(%a: tensor<?x9x20xf32> {heddle.sizes=["n"], heddle.name="a"}, %b: tensor<?x20x?xf32> {heddle.sizes=["n","l"], heddle.name="b"}) -> (tensor<?x9x?xf32> {heddle.name="y"})
    attributes {heddle.symbols=[#heddle.symbol<"n", 1 to 100>, #heddle.symbol<"l", 1 to 1000>]} {
  %y = heddle.matmul %a, %b : tensor<?x9x20xf32>, tensor<?x20x?xf32> -> tensor<?x9x?xf32>
  return %y : tensor<?x9x?xf32>
}
func.func @patches(%x: tensor<?x3x?x?xf32> {heddle.sizes=["n","l","l"], heddle.name="x"}, %w: tensor<33x3x4x4xf32> {heddle.name="w"}) -> (tensor<?x?x33xf32> {heddle.name="y"})
    attributes {heddle.symbols=[#heddle.symbol<"n", 1 to 100>, #heddle.symbol<"l", 4 to 1000>]} {
  %y = heddle.patch_embedding %x, %w : tensor<?x3x?x?xf32>, tensor<33x3x4x4xf32>
  return %y : tensor<?x?x33xf32>
}
func.func @group_norm(%x: tensor<?x12x?xf32> {heddle.sizes=["n","l"], heddle.name="x"}, %w: tensor<12xf32> {heddle.name="w"}) -> (tensor<?x12x?xf32> {heddle.name="y"})
    attributes {heddle.symbols=[#heddle.symbol<"n", 1 to 100>, #heddle.symbol<"l", 1 to 1000>]} {
  %y = heddle.group_norm %x, %w, %w groups(4) epsilon(1.0e-5) : tensor<?x12x?xf32>, tensor<12xf32>, tensor<12xf32>
  return %y : tensor<?x12x?xf32>
}
func.func @images(%x: tensor<3x8x?x5x5xbf16> {heddle.sizes=["l"], heddle.name="x"}, %w: tensor<8xf32> {heddle.name="w"}) -> (tensor<3x8x?x5x5xbf16> {heddle.name="y"}) {
  %y = heddle.group_norm %x, %w, %w groups(8) epsilon(1.0e-5) : tensor<3x8x?x5x5xbf16>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<3x8x?x5x5xbf16>
}
func.func @row_sums(%x: tensor<3x16x4xf32> {heddle.name="x"}, %w: tensor<16xf32> {heddle.name="w"}) -> (tensor<3x16x4xf32> {heddle.name="y"}) {
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
