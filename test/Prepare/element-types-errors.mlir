// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

// Arguments and results of every op, whatever its dialect.

// expected-error @+1 {{expected argument 1 to have elements of f32, bf16, f16, i8, i32, i64 or i1, found 'tensor<4xf64>'}}
func.func @negative_argument(%x: tensor<4xf32>, %y: tensor<4xf64>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @negative_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected result 0 to have elements of f32, bf16, f16, i8, i32, i64 or i1, found 'tensor<4xf64>'}}
  %wide = arith.extf %x : tensor<4xf32> to tensor<4xf64>
  %y = arith.truncf %wide : tensor<4xf64> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_constant(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @+1 {{expected result 0 to have elements of f32, bf16, f16, i8, i32, i64 or i1, found 'tensor<4xi16>'}}
  %c = arith.constant dense<3> : tensor<4xi16>
  return %x : tensor<4xi8>
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @negative_linalg(%x: tensor<4xf32>) -> tensor<4xi8> {
  %init = tensor.empty() : tensor<4xi16>
  // expected-error @+1 {{expected result 0 to have elements of f32, bf16, f16, i8, i32, i64 or i1, found 'tensor<4xi16>'}}
  %wide = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xi16>) {
  ^bb0(%e: f32, %old: i16):
    %0 = arith.fptosi %e : f32 to i16
    linalg.yield %0 : i16
  } -> tensor<4xi16>
  %y = arith.trunci %wide : tensor<4xi16> to tensor<4xi8>
  return %y : tensor<4xi8>
}
