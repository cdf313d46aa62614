// Sums of products that are not computed in tiles, and why.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes \
// RUN:   --heddle-find-contractions=remarks=true

func.func @moved(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>, %s: tensor<64xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{a sum of products that is no contraction, and is computed as any other sum: a factor is computed by more than casts, products and differences of inputs}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w, %s : tensor<7x48xf32>, tensor<64x48xf32>, tensor<64xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c)>] {
  ^bb0(%a: f32, %b: f32, %scale: f32, %sum: f32):
    %0 = arith.addf %b, %scale : f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @rounded(%x: tensor<7x48xbf16>, %w: tensor<64x48xbf16>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: products are rounded before they are added}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xbf16>, tensor<64x48xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.mulf %a, %b : bf16
    %1 = arith.extf %0 : bf16 to f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @fused(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: products are added without being rounded}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.fma %a, %b, %sum : f32
    heddle.yield %0 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @subtracted(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: products are subtracted}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.subf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @doubles(%x: tensor<7x48xf64>, %w: tensor<64x48xf64>) -> tensor<7x64xf64> {
  // expected-remark @+1 {{: sums are made in f32 alone}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f64]
      ins(%x, %w : tensor<7x48xf64>, tensor<64x48xf64>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    heddle.yield %1 : f64
  } : tensor<7x64xf64>
  return %y : tensor<7x64xf64>
}

// -----

func.func @integers(%x: tensor<7x48xi32>, %w: tensor<64x48xi32>) -> tensor<7x64xi32> {
  // expected-remark @+1 {{: sums are made in f32 alone}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0 : i32]
      ins(%x, %w : tensor<7x48xi32>, tensor<64x48xi32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: i32, %b: i32, %sum: i32):
    %0 = arith.muli %a, %b : i32
    %1 = arith.addi %sum, %0 : i32
    heddle.yield %1 : i32
  } : tensor<7x64xi32>
  return %y : tensor<7x64xi32>
}

// -----

func.func @channels(%x: tensor<7x48x64xf32>, %w: tensor<48x64xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: both factors have the last dimension of the result}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48x64xf32>, tensor<48x64xf32>)
      maps [affine_map<(r, c, k) -> (r, k, c)>, affine_map<(r, c, k) -> (k, c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @repeated(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) -> tensor<7x5x64xf32> {
  // expected-remark @+1 {{: no factor has dimension 1}}
  %y = heddle.generic over [7, 5, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, n, c, k) -> (r, k)>, affine_map<(r, n, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x5x64xf32>
  return %y : tensor<7x5x64xf32>
}

// -----

func.func @outer(%x: tensor<7x48xf32>, %w: tensor<64xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: only one factor has dimension 2, which is summed up}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @twice(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: both factors are made of one input}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

func.func @spread(%x: tensor<7x48xf32>, %s: tensor<64xf32>, %t: tensor<48xf32>) -> tensor<7x64xf32> {
  // expected-remark @+1 {{: no input has all dimensions of a factor}}
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %s, %t : tensor<7x48xf32>, tensor<64xf32>, tensor<48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c)>, affine_map<(r, c, k) -> (k)>] {
  ^bb0(%a: f32, %b: f32, %c: f32, %sum: f32):
    %0 = arith.mulf %b, %c : f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

// A sum of squares, and a maximum, are none anyway.
func.func @others(%x: tensor<7x48xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %y = heddle.generic over [7] reduce [48] initial [0.0 : f32]
      ins(%x : tensor<7x48xf32>) maps [affine_map<(r, k) -> (r, k)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7xf32>
  %z = heddle.generic over [7] reduce [48] initial [0xFF800000 : f32]
      ins(%x : tensor<7x48xf32>) maps [affine_map<(r, k) -> (r, k)>] {
  ^bb0(%a: f32, %most: f32):
    %0 = arith.maximumf %a, %most : f32
    heddle.yield %0 : f32
  } : tensor<7xf32>
  return %y, %z : tensor<7xf32>, tensor<7xf32>
}
