// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @gather_c1(%x: tensor<2x3xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.gather %x, %i axis(2) : tensor<2x3xf32>, tensor<4xi32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
