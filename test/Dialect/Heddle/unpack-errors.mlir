// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_unpack_c1_axis(%w: tensor<8x4xi32>) {
  // expected-error @+1 {{expected an axis}}
  %q = heddle.unpack %w axis(2) bits(4) : tensor<8x4xi32> -> tensor<64x4xui4>
  return
}

// -----

func.func @negative_unpack_c1_bits(%w: tensor<8x4xi32>) {
  // expected-error @+1 {{expected 1 to 8 bits, found 9}}
  %q = heddle.unpack %w axis(0) bits(9) : tensor<8x4xi32> -> tensor<28x4xi16>
  return
}

// -----

func.func @negative_unpack_c2_words(%w: tensor<8x4xi32>) {
  // expected-error @+1 {{expected words for 'tensor<56x4xui4>' of 4 bits each, found 'tensor<8x4xi32>'}}
  %q = heddle.unpack %w axis(0) bits(4) : tensor<8x4xi32> -> tensor<56x4xui4>
  return
}

// -----

func.func @negative_unpack_c2_sizes(%w: tensor<8x4xi32>) {
  // expected-error @+1 {{expected the sizes of 'tensor<8x4xi32>' but for that of axis 0, found 'tensor<64x5xui4>'}}
  %q = heddle.unpack %w axis(0) bits(4) : tensor<8x4xi32> -> tensor<64x5xui4>
  return
}

// -----

func.func @negative_unpack_c3_sign(%w: tensor<8x4xi32>) {
  // expected-error @+1 {{expected a type with the integers from 0 to 15, found 'i4'}}
  %q = heddle.unpack %w axis(0) bits(4) : tensor<8x4xi32> -> tensor<64x4xi4>
  return
}

// -----

func.func @negative_unpack_c3_offset(%w: tensor<8x4xi32>) {
  // expected-error @+1 {{expected a type with the integers from 1 to 16, found 'ui4'}}
  %q = heddle.unpack %w axis(0) bits(4) offset(1) : tensor<8x4xi32> -> tensor<64x4xui4>
  return
}
