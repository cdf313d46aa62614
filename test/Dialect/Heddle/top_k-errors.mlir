// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @top_k_c2(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected k of at most 3, found 4}}
  %y, %i = heddle.top_k %x axis(1) k(4) : tensor<2x3xf32> -> tensor<2x4xf32>, tensor<2x4xi32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @top_k_c1(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y, %i = heddle.top_k %x axis(2) k(1) : tensor<2x3xf32> -> tensor<2x1xf32>, tensor<2x1xi32>
  return %y : tensor<2x1xf32>
}

// -----

func.func @top_k_c1_rank(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expected an axis from 0 to -1, found 0}}
  %y, %i = heddle.top_k %x axis(0) k(1) : tensor<f32> -> tensor<f32>, tensor<i32>
  return %y : tensor<f32>
}

// -----

func.func @top_k_c2_of_a_size(%x: tensor<2x?xf32> {heddle.sizes = ["n"]}, %z: tensor<?xf32> {heddle.sizes = ["k"]}) -> tensor<2x?xf32> {
  // expected-error @+1 {{expected k of at most n, found k; what sizes may be is declared in heddle.symbols of the entry point}}
  %y, %i = heddle.top_k %x axis(1) k("k") : tensor<2x?xf32> -> tensor<2x?xf32>, tensor<2x?xi32>
  return %y : tensor<2x?xf32>
}

// -----

func.func @top_k_c2_negative(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected k of at least 0, found n - 2; what sizes may be is declared in heddle.symbols of the entry point}}
  %y, %i = heddle.top_k %x axis(0) k("n - 2") : tensor<?xf32> -> tensor<?xf32>, tensor<?xi32>
  return %y : tensor<?xf32>
}
