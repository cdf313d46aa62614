// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @keep_likely_c1(%x: tensor<f32>, %t: tensor<f32>, %k: tensor<i32>) -> tensor<f32> {
  // expected-error @+1 {{expected logits of rank 1 or more}}
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<f32>, tensor<f32>, tensor<i32>
  return %0 : tensor<f32>
}

// -----

func.func @keep_likely_c1_empty(%x: tensor<2x0xf32>, %t: tensor<2xf32>, %k: tensor<2xi32>) -> tensor<2x0xf32> {
  // expected-error @+1 {{expected 1 logit or more, found 0}}
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<2x0xf32>, tensor<2xf32>, tensor<2xi32>
  return %0 : tensor<2x0xf32>
}

// -----

func.func @keep_likely_c2(%x: tensor<2x3xf32>, %t: tensor<2xf32>, %k: tensor<i32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected top_k of rank 1, found 0}}
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<2x3xf32>, tensor<2xf32>, tensor<i32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @keep_likely_c2_sizes(%x: tensor<2x3xf32>, %t: tensor<2xf32>, %k: tensor<4xi32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected a size of top_k to be "2", found "4"}}
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<2x3xf32>, tensor<2xf32>, tensor<4xi32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @keep_likely_element_type(%x: tensor<2x3xf32>, %t: tensor<2xf32>, %k: tensor<2xi64>) -> tensor<2x3xf32> {
  // expected-error @+1 {{operand #2 must be ranked tensor of 32-bit signless integer values}}
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<2x3xf32>, tensor<2xf32>, tensor<2xi64>
  return %0 : tensor<2x3xf32>
}
