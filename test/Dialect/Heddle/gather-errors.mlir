// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @gather_c1(%x: tensor<2x3xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.gather %x, %i axis(2) : tensor<2x3xf32>, tensor<4xi32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gather_c1_coordinates(%x: tensor<2x3xf32>, %i: tensor<4x2xi32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected from 1 to 1 coordinates from axis 1 on, found 2}}
  %y = heddle.gather %x, %i axis(1) coordinates(2) : tensor<2x3xf32>, tensor<4x2xi32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @gather_c2_none(%x: tensor<2x3xf32>, %i: tensor<4x0xi32>) -> tensor<4x2x3xf32> {
  // expected-error @+1 {{expected from 1 to 2 coordinates from axis 0 on, found 0}}
  %y = heddle.gather %x, %i axis(0) coordinates(0) : tensor<2x3xf32>, tensor<4x0xi32> -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// -----

func.func @gather_c2(%x: tensor<2x3xf32>, %i: tensor<4x?xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected indices whose last dimension has the size 2, found 'tensor<4x?xi32>'}}
  %y = heddle.gather %x, %i axis(0) coordinates(2) : tensor<2x3xf32>, tensor<4x?xi32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gather_c2_rank(%x: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected indices whose last dimension has the size 1, found 'tensor<i32>'}}
  %y = heddle.gather %x, %i axis(0) coordinates(1) : tensor<2x3xf32>, tensor<i32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
