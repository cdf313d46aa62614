// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @arg_reduce_c1(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 3}}
  %y = heddle.arg_reduce max %x axis(3) : tensor<2x3xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}
