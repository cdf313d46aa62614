// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @split_c2(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  // expected-error @+1 {{expected 1 sizes, found 2}}
  %z = heddle.split %x axis(1) sizes [1, 2] : tensor<2x3xf32> -> tensor<2x1xf32>
  return %z : tensor<2x1xf32>
}

// -----

func.func @split_c3(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  // expected-error @+1 {{expected the sum of the sizes to be "3", found "2"}}
  %z:2 = heddle.split %x axis(1) sizes [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>, tensor<2x1xf32>
  return %z#0 : tensor<2x1xf32>
}

// -----

func.func @split_c4(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected sizes of at least 0, found -100}}
  %z:3 = heddle.split %x axis(1) sizes [-100, 4, 100] : tensor<2x4xf32> -> tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x100xf32>
  return %z#1 : tensor<2x4xf32>
}
