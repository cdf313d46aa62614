// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_activation_kind(%x: tensor<?x172xf32>) {
  // expected-error @+1 {{expected one of silu, relu, gelu, gelu_tanh, sigmoid, tanh, quick_gelu, found 'sine'}}
  %0 = heddle.activation sine %x : tensor<?x172xf32>
  return
}

// -----

func.func @negative_activation_element_type(%x: tensor<?x172xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32, f64, bf16 or f16 values, but got 'tensor<?x172xi32>'}}
  %0 = heddle.activation silu %x : tensor<?x172xi32>
  return
}
