// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @squeeze_c1(%x: tensor<2x1xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.squeeze %x axes [2] : tensor<2x1xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @squeeze_c2(%x: tensor<2x1xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{expected the size of a squeezed dimension to be "1", found "2"}}
  %y = heddle.squeeze %x axes [0] : tensor<2x1xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}
