// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_linear_c1(%x: tensor<?x?x64xf32>, %w: tensor<172x32xf32>) {
  // expected-error @+1 {{expected a weight of 64 columns, found 32}}
  %0 = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<172x32xf32>
  return
}

// -----

func.func @negative_linear_c2(%x: tensor<?x?x64xf32>, %w: tensor<172x64xf32>, %b: tensor<64xf32>) {
  // expected-error @+1 {{expected a bias of 172 elements, found 64}}
  %0 = heddle.linear %x, %w bias(%b : tensor<64xf32>) : tensor<?x?x64xf32>, tensor<172x64xf32>
  return
}

// -----

func.func @negative_linear_c3(%x: tensor<?x?x64xf32>, %w: tensor<172x64xf32>) {
  // expected-error @+1 {{expected 1 to 64 as heddle.least_bits, found 8.000000e+00 : f64}}
  %0 = heddle.linear %x, %w {heddle.least_bits = 8.0} : tensor<?x?x64xf32>, tensor<172x64xf32>
  return
}

// -----

func.func @negative_linear_c3_range(%x: tensor<?x?x64xf32>, %w: tensor<172x64xf32>) {
  // expected-error @+1 {{expected 1 to 64 as heddle.least_bits, found 0 : i64}}
  %0 = heddle.linear %x, %w {heddle.least_bits = 0} : tensor<?x?x64xf32>, tensor<172x64xf32>
  return
}

// -----

func.func @negative_linear_scalar(%x: tensor<f32>, %w: tensor<172x64xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static channels}}
  %0 = heddle.linear %x, %w : tensor<f32>, tensor<172x64xf32>
  return
}

// -----

func.func @negative_linear_dynamic_channels(%x: tensor<?x?xf32>, %w: tensor<172x64xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static channels}}
  %0 = heddle.linear %x, %w : tensor<?x?xf32>, tensor<172x64xf32>
  return
}

// -----

func.func @negative_linear_vector_weight(%x: tensor<?x64xf32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{operand #1 must be static 2D tensor}}
  %0 = heddle.linear %x, %w : tensor<?x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @negative_linear_result(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x172xf32>' are incompatible with return type(s) of operation 'tensor<?x64xf32>'}}
  %0 = "heddle.linear"(%x, %w) : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @negative_linear_double_weight(%x: tensor<?x64xf32>, %w: tensor<172x64xf64>) {
  // expected-error @+1 {{expected operands of f64 with an input of f64 alone, which is 'tensor<?x64xf32>', found 'tensor<172x64xf64>'}}
  %0 = heddle.linear %x, %w : tensor<?x64xf32>, tensor<172x64xf64>
  return
}
