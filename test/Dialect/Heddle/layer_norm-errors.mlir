// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @layer_norm_c1(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected a bias of 3 elements, found 4}}
  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5) : tensor<2x3xf32>, tensor<3xf32>, tensor<4xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @layer_norm_c2(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found}}
  %y = heddle.layer_norm %x, %w, %w epsilon(-1.0) : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @negative_layer_norm_c3(%x: tensor<2x16xf32>, %w: tensor<16xf64>) {
  // expected-error @+1 {{expected operands of f64 with an input of f64 alone, which is 'tensor<2x16xf32>', found 'tensor<16xf64>'}}
  %0 = heddle.layer_norm %x, %w epsilon(1.0e-5) : tensor<2x16xf32>, tensor<16xf64>
  return
}
