// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @scatter_c2_rank(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected updates of rank 2, found 'tensor<4xf32>'}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<2x3xf32>, tensor<4xi32>, tensor<4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scatter_c2(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %u: tensor<5x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected the size of dimension 0 of updates to be "4", found "5"}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<2x3xf32>, tensor<4xi32>, tensor<5x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scatter_kind(%x: tensor<2xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected one of assign, add, max, min, found 'mul'}}
  %y = heddle.scatter mul %x, %i, %u axis(0) : tensor<2xf32>, tensor<4xi32>, tensor<4xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @scatter_c1(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %u: tensor<2x4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.scatter add %x, %i, %u axis(2) : tensor<2x3xf32>, tensor<4xi32>, tensor<2x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scatter_c2_of_coordinates(%x: tensor<2x3x5xf32>, %i: tensor<4x2xi32>, %u: tensor<4x3xf32>) -> tensor<2x3x5xf32> {
  // expected-error @+1 {{expected the size of dimension 1 of updates to be "5", found "3"}}
  %y = heddle.scatter assign %x, %i, %u axis(0) coordinates(2) : tensor<2x3x5xf32>, tensor<4x2xi32>, tensor<4x3xf32> -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

func.func @scatter_c2_element(%x: tensor<2xf32>, %i: tensor<4xi32>, %u: tensor<4xf16>) -> tensor<2xf32> {
  // expected-error @+1 {{expected updates of 'f32', found 'tensor<4xf16>'}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<2xf32>, tensor<4xi32>, tensor<4xf16> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @scatter_c3(%x: tensor<2xi1>, %i: tensor<4xi32>, %u: tensor<4xi1>) -> tensor<2xi1> {
  // expected-error @+1 {{cannot add elements of i1}}
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<2xi1>, tensor<4xi32>, tensor<4xi1> -> tensor<2xi1>
  return %y : tensor<2xi1>
}

// -----

func.func @scatter_c4(%x: tensor<2x3xf32>, %i: tensor<4x3xi32>, %u: tensor<4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected indices whose last dimension has the size 2, found 'tensor<4x3xi32>'}}
  %y = heddle.scatter add %x, %i, %u axis(0) coordinates(2) : tensor<2x3xf32>, tensor<4x3xi32>, tensor<4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
