// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_contraction_place(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected heddle.contraction to be a #heddle.contraction of a heddle.generic, found #heddle.contraction<rows(0) columns(1)>}}
  %y = heddle.softmax %x axis(0) {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} : tensor<4xf32>
  return
}

// -----

func.func @negative_contraction_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected heddle.contraction to be a #heddle.contraction of a heddle.generic, found 1}}
  %y = heddle.generic over [4] ins(%x : tensor<4xf32>) maps [affine_map<(i) -> (i)>]
      attributes {heddle.contraction = 1} {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @negative_contraction_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a sum of products}}
  %y = heddle.generic over [4] ins(%x : tensor<4xf32>) maps [affine_map<(i) -> (i)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @negative_contraction_c3(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) {
  // expected-error @+1 {{expected rows and columns to be the inputs of one factor each, found #heddle.contraction<rows(1) columns(1)>}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      attributes {heddle.contraction = #heddle.contraction<rows(1) columns(1)>} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return
}

// -----

func.func @negative_contraction_c2(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) {
  // expected-error @+1 {{expected a sum of products, but a factor is computed by more than casts, products and differences of inputs}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.negf %a : f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<7x64xf32>
  return
}

// -----

func.func @negative_contraction_c1_table(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) {
  // expected-error @+1 {{expected a sum of products, but there is a table}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      tables(%x : tensor<7x48xf32>)
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
  ^bb0(%a: f32, %b: f32, %table: tensor<7x48xf32>, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return
}

// -----

func.func @negative_contraction_c4(%x: tensor<7x48xf64>, %w: tensor<64x48xf64>) {
  // expected-error @+1 {{expected a contraction of f32, found 'tensor<7x64xf64>'}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f64]
      ins(%x, %w : tensor<7x48xf64>, tensor<64x48xf64>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    heddle.yield %1 : f64
  } : tensor<7x64xf64>
  return
}

// -----

func.func @negative_contraction_c5(%x: tensor<7x48xf32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{expected rows and columns to have dimension 2, which is summed up}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return
}

// -----

func.func @negative_contraction_c6(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) {
  // expected-error @+1 {{expected the last dimension of the result, of those with more than one element, to be one of columns, and not of rows}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      attributes {heddle.contraction = #heddle.contraction<rows(1) columns(0)>} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return
}

// -----

func.func @negative_contraction_c7(%q: tensor<7x48xi16>, %s: tensor<7x3xf32>, %c: tensor<64x48xi8>, %t: tensor<64x1xf32>) {
  // expected-error @+1 {{expected i32 sums of 0 terms, or of a divisor of 16, found #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 24>}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%q, %s, %c, %t : tensor<7x48xi16>, tensor<7x3xf32>, tensor<64x48xi8>, tensor<64x1xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, k floordiv 16)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 24>} {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f32, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %d : i8 to f32
    %3 = arith.mulf %2, %e : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    heddle.yield %5 : f32
  } : tensor<7x64xf32>
  return
}

// -----

func.func @negative_contraction_c8(%x: tensor<7x47xbf16>, %w: tensor<64x47xbf16>) {
  // expected-error @+1 {{expected pairs of inputs of bf16 along one dimension of an even number of elements, found #heddle.contraction<rows(0) columns(1) bf16 pairs>}}
  %y = heddle.generic over [7, 64] reduce [47] initial [0.0 : f32]
      ins(%x, %w : tensor<7x47xbf16>, tensor<64x47xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1) bf16 pairs>} {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<7x64xf32>
  return
}
