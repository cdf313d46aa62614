// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes --heddle-decompose

func.func @negative_halves(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{expected what it is made of to follow from weights alone: its results are computed when they are packed}}
  %q, %s = heddle.quantize %x axis(1) group(3) : tensor<4x6xf32> -> tensor<4x6xi4>, tensor<4x2xf32>
  %y = heddle.dequantize %q, %s axis(1) : tensor<4x6xi4>, tensor<4x2xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @negative_least_squares(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{expected what it is made of to follow from weights alone: its results are computed when they are packed}}
  %q, %s = heddle.quantize %x axis(1) group(3) least_squares : tensor<4x6xf32> -> tensor<4x6xi8>, tensor<4x2xf32>
  %y = heddle.dequantize %q, %s axis(1) : tensor<4x6xi8>, tensor<4x2xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

func.func @negative_offset_binary_c2(%c: tensor<4x6xi8>) -> tensor<4x6xui8> {
  // expected-error @+1 {{expected what it is made of to follow from weights alone: its results are computed when they are packed}}
  %u = heddle.offset_binary %c : tensor<4x6xi8> -> tensor<4x6xui8>
  return %u : tensor<4x6xui8>
}

// -----

func.func @negative_unpack_c4(%w: tensor<1x6xi32>) -> tensor<8x6xi32> {
  // expected-error @+1 {{expected what it is made of to follow from weights alone: its results are computed when they are packed}}
  %q = heddle.unpack %w axis(0) bits(4) : tensor<1x6xi32> -> tensor<8x6xi32>
  return %q : tensor<8x6xi32>
}
