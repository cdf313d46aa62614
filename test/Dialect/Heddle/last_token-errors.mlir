// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_last_token_rank(%x: tensor<?x64xf32>, %lengths: tensor<?xi32>) {
  // expected-error @+1 {{operand #0 must be 3D tensor with static channels}}
  %0 = heddle.last_token %x, %lengths : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @negative_last_token_lengths(%x: tensor<?x?x64xf32>, %lengths: tensor<?x1xi32>) {
  // expected-error @+1 {{operand #1 must be 1D tensor of 32-bit signless integer or 64-bit signless integer values}}
  %0 = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?x1xi32>
  return
}
