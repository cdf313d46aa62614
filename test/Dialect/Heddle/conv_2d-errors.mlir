// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_conv_2d_c1_in(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected groups that divide the channels of 'tensor<2x4x9x9xf32>' and 6 rows, found 3}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(3) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c1_out(%x: tensor<2x4x9x9xf32>, %w: tensor<5x2x3x3xf32>) {
  // expected-error @+1 {{expected groups that divide the channels of 'tensor<2x4x9x9xf32>' and 5 rows, found 2}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<5x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c1_dynamic(%x: tensor<2x?x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected groups that divide the channels of 'tensor<2x?x9x9xf32>' and 6 rows, found 2}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x?x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c2(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{expected a weight of 2 columns, found 4}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c2_taps(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x0xf32>) {
  // expected-error @+1 {{expected a weight with taps, found 'tensor<6x2x3x0xf32>'}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x0xf32>
  return
}

// -----

func.func @negative_conv_2d_c3(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected a bias of 6 elements, found 4}}
  %0 = heddle.conv_2d %x, %w bias(%b : tensor<4xf32>) strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c4_strides(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected strides from 1 to 65535, found 1, 0}}
  %0 = heddle.conv_2d %x, %w strides [1, 0] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c4_low(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected low from 0 to 65535, found -1, 2}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [-1, 2] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c4_high(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected high from 0 to 65535, found 0, 65536}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 65536] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c4_dilations(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected dilations from 1 to 65535, found 0, 1}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [0, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c4_count(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected two numbers of strides, found 3}}
  %0 = heddle.conv_2d %x, %w strides [1, 1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c5_rows(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected dimension 2 of the input to be at least 11, found 9}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [5, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c5_columns(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error @+1 {{expected dimension 3 of the input to be at least 10, found 9}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 1] high [0, 0] dilations [1, 5] groups(2) : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  return
}

// -----

func.func @negative_conv_2d_c5_dynamic(%x: tensor<2x4x9x?xf32> {heddle.sizes = ["n"]}, %w: tensor<6x4x3x3xf32>) -> tensor<2x6x7x?xf32> {
  // expected-error @+1 {{expected dimension 3 of the input to be at least 3, found n; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
     : tensor<2x4x9x?xf32>, tensor<6x4x3x3xf32>
  return %0 : tensor<2x6x7x?xf32>
}

// -----

func.func @conv_2d_c5_dynamic(%x: tensor<2x4x9x?xf32> {heddle.sizes = ["n"]}, %w: tensor<6x4x3x3xf32>) -> tensor<2x6x7x?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 3 to 512>]} {
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
     : tensor<2x4x9x?xf32>, tensor<6x4x3x3xf32>
  return %0 : tensor<2x6x7x?xf32>
}

// -----

func.func @negative_conv_2d_c4_overflow(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{expected low from 0 to 65535, found 9223372036854775807, 0}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [9223372036854775807, 0] high [9223372036854775807, 0]
      dilations [9223372036854775807, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32>
  return
}

// -----

func.func @conv_2d_c5_used(%x: tensor<2x4x2x9xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<2x6x1x7xf32> {
  // expected-error @+1 {{'heddle.conv_2d' op expected dimension 2 of the input to be at least 3, found 2}}
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
     : tensor<2x4x2x9xf32>, tensor<6x4x3x3xf32>
  return %0 : tensor<2x6x1x7xf32>
}
