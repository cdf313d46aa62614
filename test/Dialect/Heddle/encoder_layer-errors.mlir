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

// -----

func.func @negative_encoder_layer_c4(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a score region that yields a tensor of f32 and 4 dimensions}}
  %0 = heddle.encoder_layer %x from("l") heads(4) norm(post) activation(relu) epsilon(1.0e-5)
       score {
       ^bb0(%s: tensor<?x4x?x?xf32>):
         heddle.yield %s, %s : tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>
       } : tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_layer_c3(%x: tensor<?x?x8xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected a cache with what appends to it, or neither}}
  %0 = "heddle.encoder_layer"(%x, %n) <{activation = #heddle<activation relu>, epsilon = 1.0e-05 : f64, heads = 4 : i64, norm = #heddle<norm_order post>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>, prefix = "l"}> ({})
     : (tensor<?x?x8xf32>, tensor<?xi32>) -> tensor<?x?x8xf32>
  return
}
