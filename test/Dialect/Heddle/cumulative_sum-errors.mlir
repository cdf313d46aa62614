// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @cumulative_sum_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.cumulative_sum %x axis(2) : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
