// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_embedding_ids(%ids: tensor<?x?xf32>, %table: tensor<512x64xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit signless integer or 64-bit signless integer values}}
  %0 = heddle.embedding %ids, %table : tensor<?x?xf32>, tensor<512x64xf32>
  return
}

// -----

func.func @negative_embedding_table(%ids: tensor<?x?xi32>, %table: tensor<64xf32>) {
  // expected-error @+1 {{operand #1 must be static 2D tensor}}
  %0 = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<64xf32>
  return
}
