// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @negative_expert_linear_c1(%x: tensor<2x4xf32>, %e: tensor<2x?xi32>, %w: tensor<8x6x4xf32>) {
  // expected-error @+1 {{expected a known number of chosen experts, found 'tensor<2x?xi32>'}}
  %0 = heddle.expert_linear %x, %e, %w : tensor<2x4xf32>, tensor<2x?xi32>, tensor<8x6x4xf32>
  return
}

// -----

func.func @negative_expert_linear_c2_rank(%x: tensor<4xf32>, %e: tensor<2x3xi32>, %w: tensor<8x6x4xf32>) {
  // expected-error @+1 {{expected an input of 2 or 3 dimensions, found 1}}
  %0 = heddle.expert_linear %x, %e, %w : tensor<4xf32>, tensor<2x3xi32>, tensor<8x6x4xf32>
  return
}

// -----

func.func @negative_expert_linear_c2_tokens(%x: tensor<5x4xf32>, %e: tensor<2x3xi32>, %w: tensor<8x6x4xf32>) {
  // expected-error @+1 {{expected choices of the input's sizes, found 'tensor<2x3xi32>' for 'tensor<5x4xf32>'}}
  %0 = heddle.expert_linear %x, %e, %w : tensor<5x4xf32>, tensor<2x3xi32>, tensor<8x6x4xf32>
  return
}

// -----

func.func @negative_expert_linear_c2_symbols(%x: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %e: tensor<?x3xi32> {heddle.sizes = ["m"]}, %w: tensor<8x6x4xf32>) {
  // expected-error @+1 {{expected choices of the input's sizes, found m in place of n}}
  %0 = heddle.expert_linear %x, %e, %w : tensor<?x4xf32>, tensor<?x3xi32>, tensor<8x6x4xf32>
  return
}

// -----

func.func @negative_expert_linear_c2_columns(%x: tensor<2x5xf32>, %e: tensor<2x3xi32>, %w: tensor<8x6x4xf32>) {
  // expected-error @+1 {{expected a weight of 5 columns, found 4}}
  %0 = heddle.expert_linear %x, %e, %w : tensor<2x5xf32>, tensor<2x3xi32>, tensor<8x6x4xf32>
  return
}

// -----

func.func @negative_expert_linear_c3(%x: tensor<2x4xf32>, %e: tensor<2x3xi32>, %w: tensor<8x6x4xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a bias of shape [8, 6], found 'tensor<8x4xf32>'}}
  %0 = heddle.expert_linear %x, %e, %w bias(%b : tensor<8x4xf32>)
     : tensor<2x4xf32>, tensor<2x3xi32>, tensor<8x6x4xf32>
  return
}
