// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @concat_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected inputs of rank 2, found 'tensor<2xf32>'}}
  %z = heddle.concat %x, %y axis(1) : tensor<2x3xf32>, tensor<2xf32> -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----

func.func @concat_c2(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<2x6xf32> {
  // expected-error @+1 {{expected the size of all inputs to be "2", found "4"}}
  %z = heddle.concat %x, %y axis(1) : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x6xf32>
  return %z : tensor<2x6xf32>
}
