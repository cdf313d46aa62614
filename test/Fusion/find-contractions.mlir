// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-find-contractions | FileCheck %s

// CHECK-LABEL: func.func @matrix
// CHECK: attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
func.func @matrix(%x: tensor<?x48xf32> {heddle.sizes = ["n"]}, %w: tensor<64x48xbf16>) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<?x48xf32>, tensor<64x48xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: bf16, %sum: f32):
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The input that has the last dimension has the columns, whichever it is; casts may be of any
// length and kind.
// CHECK-LABEL: func.func @casts
// CHECK: attributes {heddle.contraction = #heddle.contraction<rows(1) columns(0)>} {
func.func @casts(%w: tensor<64x48xi8>, %x: tensor<?x48xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%w, %x : tensor<64x48xi8>, tensor<?x48xf32>)
      maps [affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (r, k)>] {
  ^bb0(%a: i8, %b: f32, %sum: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.truncf %b : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %0, %2 : f32
    %4 = arith.addf %3, %sum : f32
    heddle.yield %4 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Scales belong to the elements that have all dimensions of their factor.
// CHECK-LABEL: func.func @scales
// CHECK: attributes {heddle.contraction = #heddle.contraction<rows(1) columns(2, 0)>} {
func.func @scales(%s: tensor<64x3xf16>, %x: tensor<?x48xf32> {heddle.sizes = ["n"]}, %w: tensor<64x48xi8>) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%s, %x, %w : tensor<64x3xf16>, tensor<?x48xf32>, tensor<64x48xi8>)
      maps [affine_map<(r, c, k) -> (c, k floordiv 16)>, affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%scale: f16, %a: f32, %b: i8, %sum: f32):
    %0 = arith.sitofp %b : i8 to f32
    %1 = arith.extf %scale : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    heddle.yield %4 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Of dimensions that both have there is a product for each index.
// CHECK-LABEL: func.func @batches
// CHECK: heddle.contraction<rows(0) columns(1)>
func.func @batches(%x: tensor<5x?x48xf32> {heddle.sizes = ["n"]}, %w: tensor<5x64x48xf32>) -> tensor<5x?x64xf32> {
  %y = heddle.generic over [5, "n", 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<5x?x48xf32>, tensor<5x64x48xf32>)
      maps [affine_map<(b, r, c, k) -> (b, r, k)>, affine_map<(b, r, c, k) -> (b, c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<5x?x64xf32>
  return %y : tensor<5x?x64xf32>
}

// CHECK-LABEL: func.func @squares
// CHECK-NOT: heddle.contraction
func.func @squares(%x: tensor<?x48xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %y = heddle.generic over ["n"] reduce [48] initial [0.0 : f32]
      ins(%x : tensor<?x48xf32>) maps [affine_map<(r, k) -> (r, k)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
