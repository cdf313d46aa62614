// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_pool_tokens_c1(%x: tensor<?x?x64xf32>, %lengths: tensor<?xi32>) {
  // expected-error @+1 {{expected a sum, a mean or a max, found min}}
  %0 = heddle.pool_tokens min %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_pool_tokens_rank(%x: tensor<?x64xf32>, %lengths: tensor<?xi32>) {
  // expected-error @+1 {{operand #0 must be 3D tensor with static channels}}
  %0 = heddle.pool_tokens mean %x, %lengths : tensor<?x64xf32>, tensor<?xi32>
  return
}
