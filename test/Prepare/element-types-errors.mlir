// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

// Arguments and results of every op, whatever its dialect.

// expected-error @+1 {{expected argument 1 to have elements of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1, found 'tensor<4xi4>'}}
func.func @negative_argument(%x: tensor<4xf32>, %y: tensor<4xi4>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @negative_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected result 0 to have elements of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1, found 'tensor<4xf80>'}}
  %wide = arith.extf %x : tensor<4xf32> to tensor<4xf80>
  %y = arith.truncf %wide : tensor<4xf80> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_constant(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @+1 {{expected result 0 to have elements of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1, found 'tensor<4xi24>'}}
  %c = arith.constant dense<3> : tensor<4xi24>
  return %x : tensor<4xi8>
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @negative_linalg(%x: tensor<4xf32>) -> tensor<4xi8> {
  %init = tensor.empty() : tensor<4xi24>
  // expected-error @+1 {{expected result 0 to have elements of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1, found 'tensor<4xi24>'}}
  %wide = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xi24>) {
  ^bb0(%e: f32, %old: i24):
    %0 = arith.fptosi %e : f32 to i24
    linalg.yield %0 : i24
  } -> tensor<4xi24>
  %y = arith.trunci %wide : tensor<4xi24> to tensor<4xi8>
  return %y : tensor<4xi8>
}
