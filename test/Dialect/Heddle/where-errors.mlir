// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @where_c1(%c: tensor<2x3xi1>, %x: tensor<4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected the size of a dimension to be 1 or "3", found "4"}}
  %y = heddle.where %c, %x, %x : tensor<2x3xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @where_c2(%c: tensor<3xi1>, %x: tensor<3xf32>, %y: tensor<3xi32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected elements of 'f32', found 'tensor<3xi32>'}}
  %z = heddle.where %c, %x, %y : tensor<3xi1>, tensor<3xf32>, tensor<3xi32> -> tensor<3xf32>
  return %z : tensor<3xf32>
}
