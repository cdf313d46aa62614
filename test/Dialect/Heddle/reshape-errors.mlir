// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @reshape_c1(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{expected at most one size of -1, found 2}}
  %y = heddle.reshape %x to [-1, -1] : tensor<2x3xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @reshape_c2(%x: tensor<?x6xf32> {heddle.sizes = ["n"]}) -> tensor<?x5xf32> {
  // expected-error @+1 {{expected sizes of 6 * n elements, found}}
  %y = heddle.reshape %x to [-1, 5] : tensor<?x6xf32> -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

func.func @slice_c2(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to n - 1, found 1 to n}}
  %y = heddle.slice %x offsets [1] sizes ["n"] steps [1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @reshape_c1_negative(%x: tensor<4x5xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{expected sizes of at least -1, found -2}}
  %y = heddle.reshape %x to [-2, -10] : tensor<4x5xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @reshape_c2_empty(%x: tensor<0x3xf32>) -> tensor<?x0xf32> {
  // expected-error @+1 {{expected no size of -1 beside a size of 0}}
  %y = heddle.reshape %x to [-1, 0] : tensor<0x3xf32> -> tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}
