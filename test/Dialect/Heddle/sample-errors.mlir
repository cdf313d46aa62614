// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @sample_c1(%x: tensor<f32>, %t: tensor<f32>) -> tensor<i32> {
  // expected-error @+1 {{expected logits of rank 1 or more}}
  %0 = heddle.sample %x temperature(%t) min_p(%t) uniform(%t) : tensor<f32>, tensor<f32> -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @sample_c1_empty(%x: tensor<2x0xf32>, %t: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{expected 1 logit or more, found 0}}
  %0 = heddle.sample %x temperature(%t) min_p(%t) uniform(%t) : tensor<2x0xf32>, tensor<2xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @sample_c2(%x: tensor<2x3xf32>, %t: tensor<f32>) -> tensor<2xi32> {
  // expected-error @+1 {{expected temperature of rank 1, found 0}}
  %0 = heddle.sample %x temperature(%t) min_p(%t) uniform(%t) : tensor<2x3xf32>, tensor<f32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @sample_c2_sizes(%x: tensor<2x3xf32>, %t: tensor<4xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{expected a size of temperature to be "2", found "4"}}
  %0 = heddle.sample %x temperature(%t) min_p(%t) uniform(%t) : tensor<2x3xf32>, tensor<4xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @sample_element_type(%x: tensor<2x3xf32>, %t: tensor<2xf16>) -> tensor<2xi32> {
  // expected-error @+1 {{operand #1 must be ranked tensor of 32-bit float values}}
  %0 = heddle.sample %x temperature(%t) min_p(%t) uniform(%t) : tensor<2x3xf32>, tensor<2xf16> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
