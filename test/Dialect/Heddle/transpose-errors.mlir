// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @transpose_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected a permutation of the 2 dimensions, found [1, 1]}}
  %y = heddle.transpose %x permutation [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @result_of_other_sizes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected result 0 of type 'tensor<3x2xf32>', found 'tensor<2x3xf32>'}}
  %y = heddle.transpose %x permutation [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
