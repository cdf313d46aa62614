// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_conv_1d_c1_in(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{expected groups that divide the channels of 'tensor<2x4x9xf32>' and 6 rows, found 3}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(3) : tensor<2x4x9xf32>, tensor<6x2x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c1_out(%x: tensor<2x4x9xf32>, %w: tensor<5x2x3xf32>) {
  // expected-error @+1 {{expected groups that divide the channels of 'tensor<2x4x9xf32>' and 5 rows, found 2}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(2) : tensor<2x4x9xf32>, tensor<5x2x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c1_dynamic(%x: tensor<2x?x9xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{expected groups that divide the channels of 'tensor<2x?x9xf32>' and 6 rows, found 2}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(2) : tensor<2x?x9xf32>, tensor<6x2x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c2(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected a weight of 2 columns, found 4}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(2) : tensor<2x4x9xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c2_taps(%x: tensor<2x4x9xf32>, %w: tensor<6x2x0xf32>) {
  // expected-error @+1 {{expected a weight with taps, found 'tensor<6x2x0xf32>'}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(2) : tensor<2x4x9xf32>, tensor<6x2x0xf32>
  return
}

// -----

func.func @negative_conv_1d_c3(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected a bias of 6 elements, found 4}}
  %0 = heddle.conv_1d %x, %w bias(%b : tensor<4xf32>) stride(1) padding(0) dilation(1) groups(1)
     : tensor<2x4x9xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c4_stride(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected a stride from 1 to 65535, found 0}}
  %0 = heddle.conv_1d %x, %w stride(0) padding(0) dilation(1) groups(1) : tensor<2x4x9xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c4_padding(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected a padding from 0 to 65535, found -1}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(-1) dilation(1) groups(1) : tensor<2x4x9xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c4_dilation(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected a dilation from 1 to 65535, found 65536}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(65536) groups(1) : tensor<2x4x9xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c5(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected dimension 2 of the input to be at least 11, found 9}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(5) groups(1) : tensor<2x4x9xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @negative_conv_1d_c5_dynamic(%x: tensor<2x4x?xf32> {heddle.sizes = ["n"]}, %w: tensor<6x4x3xf32>) -> tensor<2x6x?xf32> {
  // expected-error @+1 {{expected dimension 2 of the input to be at least 3, found n; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(1) : tensor<2x4x?xf32>, tensor<6x4x3xf32>
  return %0 : tensor<2x6x?xf32>
}

// -----

func.func @conv_1d_c5(%x: tensor<2x4x?xf32> {heddle.sizes = ["n"]}, %w: tensor<6x4x3xf32>) -> tensor<2x6x?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 3 to 512>]} {
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(1) : tensor<2x4x?xf32>, tensor<6x4x3xf32>
  return %0 : tensor<2x6x?xf32>
}

// -----

func.func @conv_1d_c5_used(%x: tensor<2x4x2xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x1xf32> {
  // expected-error @+1 {{'heddle.conv_1d' op expected dimension 2 of the input to be at least 3, found 2}}
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(1) : tensor<2x4x2xf32>, tensor<6x4x3xf32>
  return %0 : tensor<2x6x1xf32>
}
