// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @gather_elements_c1(%x: tensor<2x3xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected indices of rank 2, found 'tensor<4xi32>'}}
  %y = heddle.gather_elements %x, %i axis(1) : tensor<2x3xf32>, tensor<4xi32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gather_elements_c2(%x: tensor<2x3xf32>, %i: tensor<4x3xi32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{expected the size of dimension 0 to be "2", found "4"}}
  %y = heddle.gather_elements %x, %i axis(1) : tensor<2x3xf32>, tensor<4x3xi32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
