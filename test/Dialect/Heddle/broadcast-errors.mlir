// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @broadcast_c1(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected at least 2 sizes, found 1}}
  %z = heddle.broadcast %x to [3] : tensor<2x3xf32> -> tensor<3xf32>
  return %z : tensor<3xf32>
}

// -----

func.func @broadcast_c2(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  // expected-error @+1 {{expected the size of a dimension to be 1 or "6", found "3"}}
  %z = heddle.broadcast %x to [2, 6] : tensor<2x3xf32> -> tensor<2x6xf32>
  return %z : tensor<2x6xf32>
}

// -----

func.func @broadcast_c2_size(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 2 to 8>]} {
  // expected-error @+1 {{expected the size of a dimension to be 1 or "n + 1", found "n"}}
  %z = heddle.broadcast %x to ["n + 1"] : tensor<?xf32> -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @broadcast_negative(%x: tensor<1xf32>) {
  // expected-error @+1 {{expected sizes of at least 0, found -5}}
  %y = heddle.broadcast %x to [-5] : tensor<1xf32> -> tensor<?xf32>
  return
}
