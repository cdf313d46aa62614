// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @expand_c1(%x: tensor<2x3xf32>) -> tensor<1x2x3x1xf32> {
  // expected-error @+1 {{expected axes in ascending order, found 0 after 3}}
  %y = heddle.expand %x axes [3, 0] : tensor<2x3xf32> -> tensor<1x2x3x1xf32>
  return %y : tensor<1x2x3x1xf32>
}
