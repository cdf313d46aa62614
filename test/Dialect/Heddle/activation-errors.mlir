// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_activation_kind(%x: tensor<?x172xf32>) {
  // expected-error @+1 {{expected one of silu, relu, gelu, gelu_tanh, sigmoid, tanh, found 'sine'}}
  %0 = heddle.activation sine %x : tensor<?x172xf32>
  return
}

// -----

func.func @negative_activation_element_type(%x: tensor<?x172xbf16>) {
  // expected-error @+1 {{operand #0 must be tensor with static channels of 32-bit float values}}
  %0 = heddle.activation silu %x : tensor<?x172xbf16>
  return
}
