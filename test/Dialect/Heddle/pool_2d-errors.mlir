// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_pool_2d_c1(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected max or mean, found sum}}
  %0 = heddle.pool_2d sum %x window [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c2_window(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected window from 1 to 65535, found 0, 3}}
  %0 = heddle.pool_2d max %x window [0, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c2_window_count(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected two numbers of window, found 1}}
  %0 = heddle.pool_2d max %x window [3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c2_strides(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected strides from 1 to 65535, found 1, 0}}
  %0 = heddle.pool_2d max %x window [3, 3] strides [1, 0] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c2_low(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected low from 0 to 65535, found -1, 2}}
  %0 = heddle.pool_2d max %x window [3, 3] strides [1, 1] low [-1, 2] high [0, 0] dilations [1, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c2_high_count(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected two numbers of high, found 0}}
  %0 = heddle.pool_2d max %x window [3, 3] strides [1, 1] low [0, 0] high [] dilations [1, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c2_dilations(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected dilations from 1 to 65535, found 70000, 1}}
  %0 = heddle.pool_2d max %x window [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [70000, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c3(%x: tensor<2x4x9x9xf32>) {
  // expected-error @+1 {{expected dimension 2 of the input to be at least 11, found 9}}
  %0 = heddle.pool_2d max %x window [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [5, 1] : tensor<2x4x9x9xf32>
  return
}

// -----

func.func @negative_pool_2d_c3_dynamic(%x: tensor<2x4x9x?xf32> {heddle.sizes = ["n"]}) -> tensor<2x4x7x?xf32> {
  // expected-error @+1 {{expected dimension 3 of the input to be at least 3, found n; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.pool_2d mean %x window [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x9x?xf32>
  return %0 : tensor<2x4x7x?xf32>
}

// -----

func.func @pool_2d_c3_dynamic(%x: tensor<2x4x9x?xf32> {heddle.sizes = ["n"]}) -> tensor<2x4x7x?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 3 to 512>]} {
  %0 = heddle.pool_2d mean %x window [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x9x?xf32>
  return %0 : tensor<2x4x7x?xf32>
}

// -----

func.func @pool_2d_c3_used(%x: tensor<2x4x2x9xf32>) -> tensor<2x4x1x7xf32> {
  // expected-error @+1 {{'heddle.pool_2d' op expected dimension 2 of the input to be at least 3, found 2}}
  %0 = heddle.pool_2d max %x window [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<2x4x2x9xf32>
  return %0 : tensor<2x4x1x7xf32>
}
