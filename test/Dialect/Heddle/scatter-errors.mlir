// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @scatter_c1(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected updates of rank 2, found 'tensor<4xf32>'}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<2x3xf32>, tensor<4xi32>, tensor<4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scatter_c2(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %u: tensor<5x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected the number of updates to be "4", found "5"}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<2x3xf32>, tensor<4xi32>, tensor<5x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scatter_kind(%x: tensor<2xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected one of assign, add, max, min, found 'mul'}}
  %y = heddle.scatter mul %x, %i, %u axis(0) : tensor<2xf32>, tensor<4xi32>, tensor<4xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
