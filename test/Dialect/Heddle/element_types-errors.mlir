// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// Elements in memory are of some types; ops that have no meaning on all of them say which they
// take.

func.func @negative_f80(%x: tensor<5x12xf80>) -> tensor<12x5xf80> {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i4, i8, i16, i32, i64, ui4, ui8, ui16, ui32, ui64 or i1 values, but got 'tensor<5x12xf80>'}}
  %y = heddle.transpose %x permutation [1, 0] : tensor<5x12xf80> -> tensor<12x5xf80>
  return %y : tensor<12x5xf80>
}

// -----

func.func @negative_i4(%x: tensor<5xf32>) -> tensor<5xi4> {
  // expected-error @+1 {{result #0 must be ranked tensor of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1 values, but got 'tensor<5xi4>'}}
  %y = heddle.cast %x : tensor<5xf32> -> tensor<5xi4>
  return %y : tensor<5xi4>
}

// -----

func.func @negative_complex(%x: tensor<5xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32, f64, bf16, f16, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1 values, but got 'tensor<5xcomplex<f32>>'}}
  %y = heddle.reduce sum %x axes [0] keep_sizes : tensor<5xcomplex<f32>> -> tensor<1xcomplex<f32>>
  return %y : tensor<1xcomplex<f32>>
}

// -----

func.func @negative_unsigned(%x: tensor<5xui8>) -> tensor<5xui8> {
  // expected-error @+1 {{expected a block with arguments of types 'i8', found 'ui8'}}
  %y = heddle.generic over [5] ins(%x : tensor<5xui8>) maps [affine_map<(d0) -> (d0)>] {
  ^bb0(%e: ui8):
    heddle.yield %e : ui8
  } : tensor<5xui8>
  return %y : tensor<5xui8>
}

// -----

func.func @negative_softmax_of_integers(%x: tensor<5xi32>) -> tensor<5xi32> {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32, f64, bf16 or f16 values, but got 'tensor<5xi32>'}}
  %y = heddle.softmax %x axis(0) : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

func.func @negative_cumulative_sum_c2(%x: tensor<5xi1>) -> tensor<5xi1> {
  // expected-error @+1 {{cannot take elements of i1}}
  %y = heddle.cumulative_sum %x axis(0) : tensor<5xi1>
  return %y : tensor<5xi1>
}

// -----

func.func @negative_scatter_c3(%x: tensor<5xi1>, %i: tensor<2xi32>, %u: tensor<2xi1>) -> tensor<5xi1> {
  // expected-error @+1 {{cannot add elements of i1}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<5xi1>, tensor<2xi32>, tensor<2xi1> -> tensor<5xi1>
  return %y : tensor<5xi1>
}

// -----

func.func @negative_scatter_c3_f8(%x: tensor<5xf8E5M2>, %i: tensor<2xi32>, %u: tensor<2xf8E5M2>) -> tensor<5xf8E5M2> {
  // expected-error @+1 {{cannot combine elements of 'f8E5M2'}}
  %y = heddle.scatter max %x, %i, %u axis(0) : tensor<5xf8E5M2>, tensor<2xi32>, tensor<2xf8E5M2> -> tensor<5xf8E5M2>
  return %y : tensor<5xf8E5M2>
}

// -----

func.func @negative_reduce_of_f8(%x: tensor<5xf8E4M3FN>) -> tensor<f8E4M3FN> {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32, f64, bf16, f16, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1 values, but got 'tensor<5xf8E4M3FN>'}}
  %y = heddle.reduce sum %x axes [0] : tensor<5xf8E4M3FN> -> tensor<f8E4M3FN>
  return %y : tensor<f8E4M3FN>
}
