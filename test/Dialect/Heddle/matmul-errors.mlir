// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @matmul_c1(%a: tensor<3xf32>, %b: tensor<3x2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected operands of rank 2 or more, found 'tensor<3xf32>'}}
  %c = heddle.matmul %a, %b : tensor<3xf32>, tensor<3x2xf32> -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

func.func @matmul_c2(%a: tensor<4x3xf32>, %b: tensor<2x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{expected the number of rows of B to be "3", found "2"}}
  %c = heddle.matmul %a, %b : tensor<4x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  return %c : tensor<4x3xf32>
}

// -----

func.func @matmul_c3(%a: tensor<5x4x3xf32>, %b: tensor<2x3x6xf32>) -> tensor<5x4x6xf32> {
  // expected-error @+1 {{expected the size of a dimension to be 1 or "5", found "2"}}
  %c = heddle.matmul %a, %b : tensor<5x4x3xf32>, tensor<2x3x6xf32> -> tensor<5x4x6xf32>
  return %c : tensor<5x4x6xf32>
}

// -----

func.func @matmul_c4(%a: tensor<4x3xf32>, %b: tensor<3x6xbf16>) -> tensor<4x6xf32> {
  // expected-error @+1 {{expected elements of 'f32', found 'tensor<3x6xbf16>'}}
  %c = heddle.matmul %a, %b : tensor<4x3xf32>, tensor<3x6xbf16> -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}
