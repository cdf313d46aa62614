// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_encoder_layer_c1(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 4 and 3}}
  %0 = heddle.encoder_layer %x from("l") heads(4, kv = 3) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_layer_c1_zero(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 0 and 0}}
  %0 = heddle.encoder_layer %x from("l") heads(0) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_layer_c2(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found -1.0}}
  %0 = heddle.encoder_layer %x from("l") heads(4) norm(post) activation(relu) epsilon(-1.0) : tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_layer_norm(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected one of post, pre, sandwich, found 'before'}}
  %0 = heddle.encoder_layer %x from("l") heads(4) norm(before) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_layer_norm_kind(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected one of layer, rms, found 'batch'}}
  %0 = heddle.encoder_layer %x from("l") heads(4) norm(pre, batch) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}
