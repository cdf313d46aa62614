// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_offset_binary_c1_sign(%c: tensor<4x8xui4>) {
  // expected-error @+1 {{expected integers with a sign, and a result of 'tensor<4x8xui4>', found 'tensor<4x8xui4>' and 'tensor<4x8xui4>'}}
  %u = heddle.offset_binary %c : tensor<4x8xui4> -> tensor<4x8xui4>
  return
}

// -----

func.func @negative_offset_binary_c1_bits(%c: tensor<4x8xi4>) {
  // expected-error @+1 {{expected integers with a sign, and a result of 'tensor<4x8xui4>', found 'tensor<4x8xi4>' and 'tensor<4x8xui8>'}}
  %u = heddle.offset_binary %c : tensor<4x8xi4> -> tensor<4x8xui8>
  return
}

// -----

func.func @negative_offset_binary_c1_shape(%c: tensor<4x8xi8>) {
  // expected-error @+1 {{expected integers with a sign, and a result of 'tensor<4x8xui8>', found 'tensor<4x8xi8>' and 'tensor<8x4xui8>'}}
  %u = heddle.offset_binary %c : tensor<4x8xi8> -> tensor<8x4xui8>
  return
}
