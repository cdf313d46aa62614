// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @slice_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected 2 offsets, sizes and steps, found 2, 2 and 1}}
  %y = heddle.slice %x offsets [0, 0] sizes [2, 3] steps [1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @slice_c2_backwards(%x: tensor<5xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to 4, found -1 to 3}}
  %y = heddle.slice %x offsets [3] sizes [3] steps [-2] : tensor<5xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @slice_c2_declared(%x: tensor<512xf32>, %y: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 513>]} {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to 511, found 0 to n - 1; what sizes may be is declared in heddle.symbols of the entry point}}
  %z = heddle.slice %x offsets [0] sizes ["n"] steps [1] : tensor<512xf32> -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @slice_c1_size(%x: tensor<?x7xf32>) {
  // expected-error @+1 {{expected a size of at least 0 of dimension 0, found -1}}
  %z = heddle.slice %x offsets [0, 0] sizes [-1, 7] steps [1, 1] : tensor<?x7xf32> -> tensor<?x7xf32>
  return
}
