// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @reduce_c1(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.reduce sum %x axes [2] : tensor<2x3xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @reduce_c2(%x: tensor<2x3xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{cannot take elements of 'i32'}}
  %y = heddle.reduce mean %x axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @reduce_any(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot take elements of 'f32'}}
  %y = heddle.reduce any %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
