// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @top_k_c1(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected k of at most 3, found 4}}
  %y, %i = heddle.top_k %x k(4) : tensor<2x3xf32> -> tensor<2x4xf32>, tensor<2x4xi32>
  return %y : tensor<2x4xf32>
}
