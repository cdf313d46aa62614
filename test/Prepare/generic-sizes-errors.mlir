// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @negative_generic_c6(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected map 0 to stay within dimension 0 of its input, which has the size n, found coordinates from 1 to n}}
  %y = heddle.generic over ["n"] ins(%x : tensor<?xf32>) maps [affine_map<(i) -> (i + 1)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @negative_generic_c6_other_size(%x: tensor<?xf32> {heddle.sizes = ["m"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected map 0 to stay within dimension 0 of its input, which has the size m, found coordinates from 0 to n - 1}}
  %y = heddle.generic over ["n"] ins(%x : tensor<?xf32>) maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @negative_generic_c6_negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected map 0 to stay within dimension 0 of its input, which has the size 4}}
  %y = heddle.generic over [4] ins(%x : tensor<4xf32>) maps [affine_map<(i) -> (2 - i)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}
