// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_rms_norm_c1(%x: tensor<?x?x64xf32>, %w: tensor<32xf32>) {
  // expected-error @+1 {{expected a weight of 64 elements, found 32}}
  %0 = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<32xf32>
  return
}

// -----

func.func @negative_rms_norm_c2(%x: tensor<?x?x64xf32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found -1.0}}
  %0 = heddle.rms_norm %x, %w epsilon(-1.0) : tensor<?x?x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @negative_rms_norm_c2_nan(%x: tensor<?x?x64xf32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found nan}}
  %0 = heddle.rms_norm %x, %w epsilon(0x7FF8000000000000) : tensor<?x?x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @negative_rms_norm_scalar(%x: tensor<f32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static channels}}
  %0 = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<f32>, tensor<64xf32>
  return
}
