// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_dropout_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a rate from 0 that is below 1, found 1.0}}
  %0 = heddle.dropout %x rate(1.0) : tensor<2x3xf32>
  return
}

// -----

func.func @negative_dropout_c1_negative(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a rate from 0 that is below 1, found -1.0}}
  %0 = heddle.dropout %x rate(-0.1) : tensor<2x3xf32>
  return
}

// -----

func.func @negative_dropout_seed(%x: tensor<2x3xf32>, %s: tensor<4xi32>) {
  // expected-error @+1 {{operand #1 must be tensor of two words of 32-bit signless integer values, but got 'tensor<4xi32>'}}
  %0 = heddle.dropout %x rate(0.5) seed(%s : tensor<4xi32>) : tensor<2x3xf32>
  return
}
