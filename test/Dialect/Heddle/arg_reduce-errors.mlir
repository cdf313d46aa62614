// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @arg_reduce_c1(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{expected an axis from 0 to 1, found 3}}
  %y = heddle.arg_reduce max %x axis(3) : tensor<2x3xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @arg_reduce_c2(%x: tensor<2x0xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{expected 1 element or more along axis 1, found 0}}
  %y = heddle.arg_reduce max %x axis(1) : tensor<2x0xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @arg_reduce_c2_of_a_call(%x: tensor<2x?xf32> {heddle.sizes = ["n"]}) -> tensor<2xi32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 0 to 9>]} {
  // expected-error @+1 {{expected 1 element or more along axis 1, found n; what sizes may be is declared in heddle.symbols of the entry point}}
  %y = heddle.arg_reduce max %x axis(1) : tensor<2x?xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}
