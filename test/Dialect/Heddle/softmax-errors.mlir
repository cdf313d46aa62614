// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @softmax_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found -1}}
  %y = heddle.softmax %x axis(-1) : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.log_softmax %x axis(2) : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
