// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_group_norm_c1(%x: tensor<2x?x3xf32>, %w: tensor<12xf32>) {
  // expected-error @+1 {{expected an input [batch, channels, ...] whose channels are known, found 'tensor<2x?x3xf32>'}}
  %y = heddle.group_norm %x, %w, %w groups(4) epsilon(1.0e-5) : tensor<2x?x3xf32>, tensor<12xf32>, tensor<12xf32>
  return
}

// -----

func.func @negative_group_norm_c1_rank(%x: tensor<12xf32>, %w: tensor<12xf32>) {
  // expected-error @+1 {{expected an input [batch, channels, ...] whose channels are known, found 'tensor<12xf32>'}}
  %y = heddle.group_norm %x, %w, %w groups(4) epsilon(1.0e-5) : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  return
}

// -----

func.func @negative_group_norm_c2(%x: tensor<2x12x3xf32>, %w: tensor<12xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected a bias of 12 elements, found 3}}
  %y = heddle.group_norm %x, %w, %b groups(4) epsilon(1.0e-5) : tensor<2x12x3xf32>, tensor<12xf32>, tensor<3xf32>
  return
}

// -----

func.func @negative_group_norm_c3(%x: tensor<2x12x3xf32>, %w: tensor<12xf32>) {
  // expected-error @+1 {{expected groups that divide 12 channels, found 5}}
  %y = heddle.group_norm %x, %w, %w groups(5) epsilon(1.0e-5) : tensor<2x12x3xf32>, tensor<12xf32>, tensor<12xf32>
  return
}

// -----

func.func @negative_group_norm_c3_negative(%x: tensor<2x12x3xf32>, %w: tensor<12xf32>) {
  // expected-error @+1 {{expected groups that divide 12 channels, found -3}}
  %y = heddle.group_norm %x, %w, %w groups(-3) epsilon(1.0e-5) : tensor<2x12x3xf32>, tensor<12xf32>, tensor<12xf32>
  return
}

// -----

func.func @negative_group_norm_c4(%x: tensor<2x12x3xf32>, %w: tensor<12xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found}}
  %y = heddle.group_norm %x, %w, %w groups(3) epsilon(-1.0) : tensor<2x12x3xf32>, tensor<12xf32>, tensor<12xf32>
  return
}

// -----

func.func @negative_group_norm_c5(%x: tensor<2x12x5xf32>, %w: tensor<12xf64>, %b: tensor<12xf32>) {
  // expected-error @+1 {{expected operands of f64 with an input of f64 alone, which is 'tensor<2x12x5xf32>', found 'tensor<12xf64>'}}
  %0 = heddle.group_norm %x, %w, %b groups(4) epsilon(1.0e-5) : tensor<2x12x5xf32>, tensor<12xf64>, tensor<12xf32>
  return
}
