// RUN: heddle-opt %s --heddle-expand-layers -split-input-file -verify-diagnostics

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_missing_weight(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{'heddle.encoder_layer' op expected a heddle.weight @l.linear1.weight of floats and shape [?, 8], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>

func.func @negative_missing_norm(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @l.norm2.weight of floats and shape [8], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_missing_projection(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @l.self_attn.in_proj_weight of floats and shape [?, 8], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>
heddle.weight @l.linear1.bias from "w" : tensor<16xf32>

func.func @negative_missing_bias(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @l.linear2.bias of floats and shape [8], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_missing_post_norm(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @l.post_norm1.weight of floats and shape [8], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(sandwich) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.linear2.weight from "w" : tensor<16x8xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_wrong_shape(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected heddle.weight @l.linear2.weight to be of floats and shape [8, 16], found 'tensor<16x8xf32>'}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.norm1.weight from "w" : tensor<8xi32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_wrong_element(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected heddle.weight @l.norm1.weight to be of floats and shape [8], found 'tensor<8xi32>'}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x6xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_wrong_output(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected heddle.weight @l.self_attn.out_proj.weight to be of floats and shape [8, 8], found 'tensor<8x6xf32>'}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<20x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_wrong_rows(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected 6, as many as heads and twice the kv heads, to divide the rows of @l.self_attn.in_proj_weight, found 20}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.norm3.weight from "w" : tensor<8xf32>

func.func @negative_unused_weight(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "l", but has no use for @l.norm3.weight}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.norm1.bias from "w" : tensor<8xf32>

func.func @negative_unused_bias_of_rms_norm(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "l", but has no use for @l.norm1.bias}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post, rms) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.self_attn.q_proj_weight from "w" : tensor<8x8xf32>

func.func @negative_unused_projection(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "l", but has no use for @l.self_attn.q_proj_weight}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @e.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @e.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @e.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @e.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @e.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @e.layers.0.norm2.weight from "w" : tensor<8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @e.layers.1.norm1.weight from "w" : tensor<8xf32>

func.func @negative_unused_layer(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "e", but has no use for @e.layers.1.norm1.weight}}
  %y = heddle.encoder %x from("e") layers(1) heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @e.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @e.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @e.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @e.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @e.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @e.layers.0.norm2.weight from "w" : tensor<8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @e.norm.bias from "w" : tensor<8xf32>

func.func @negative_unused_norm_bias(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "e", but has no use for @e.norm.bias}}
  %y = heddle.encoder %x from("e") layers(1) heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @e.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @e.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @e.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @e.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @e.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @e.layers.0.norm2.weight from "w" : tensor<8xf32>

func.func @negative_missing_layer(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @e.layers.1.self_attn.in_proj_weight of floats and shape [?, 8], found none}}
  %y = heddle.encoder %x from("e") layers(2) heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @e.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @e.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @e.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @e.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @e.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @e.layers.0.norm2.weight from "w" : tensor<8xf32>

func.func @negative_missing_decoder_layer(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @e.layers.0.multihead_attn.in_proj_weight of floats and shape [?, 8], found none}}
  %y = heddle.decoder %x, %x from("e") layers(2) heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @e.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @e.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @e.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @e.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @e.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @e.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @e.layers.0.multihead_attn.in_proj_weight from "w" : tensor<24x8xf32>

func.func @negative_memory_of_another_width(%x: tensor<?x?x8xf32>, %m: tensor<?x?x6xf32>) {
  // expected-error @+1 {{expected a heddle.weight @e.layers.0.multihead_attn.q_proj_weight of floats and shape [?, 8], found none}}
  %y = heddle.decoder %x, %m from("e") layers(1) heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x6xf32>
  return
}

// -----

heddle.weight @t.encoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.encoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.encoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.encoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.encoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.encoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.decoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.decoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.norm3.weight from "w" : tensor<8xf32>

func.func @negative_missing_output_projection(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @g.weight of floats and shape [?, 8], found none}}
  %y = heddle.encoder_decoder %x, %x from("t") layers(1, 1) projection("g") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x9xf32>
  return
}

// -----

heddle.weight @t.encoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.encoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.encoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.encoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.encoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.encoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.decoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.decoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.norm3.weight from "w" : tensor<8xf32>
heddle.weight @g.weight from "w" : tensor<7x8xf32>

func.func @negative_outputs(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x?x7xf32>', found 'tensor<?x?x9xf32>'}}
  %y = heddle.encoder_decoder %x, %x from("t") layers(1, 1) projection("g") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x9xf32>
  return
}

// -----

heddle.weight @t.encoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.encoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.encoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.encoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.encoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.encoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.decoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.decoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.norm3.weight from "w" : tensor<8xf32>
heddle.weight @g.weight from "w" : tensor<9x8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @g.scale from "w" : tensor<9xf32>

func.func @negative_unused_of_output_projection(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "g", but has no use for @g.scale}}
  %y = heddle.encoder_decoder %x, %x from("t") layers(1, 1) projection("g") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x9xf32>
  return
}

// -----

heddle.weight @t.encoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.encoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.encoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.encoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.encoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.encoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @t.decoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @t.decoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.norm3.weight from "w" : tensor<8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @t.embedding from "w" : tensor<9x8xf32>

func.func @negative_unused_of_transformer(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "t", but has no use for @t.embedding}}
  %y = heddle.encoder_decoder %x, %x from("t") layers(1, 1)  heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @encoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @encoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @encoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @encoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @encoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @encoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @decoder.layers.0.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @decoder.layers.0.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @decoder.layers.0.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @decoder.layers.0.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @decoder.layers.0.norm1.weight from "w" : tensor<8xf32>
heddle.weight @decoder.layers.0.norm2.weight from "w" : tensor<8xf32>
heddle.weight @decoder.layers.0.multihead_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @decoder.layers.0.multihead_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @decoder.layers.0.norm3.weight from "w" : tensor<8xf32>
heddle.weight @embedding from "w" : tensor<9x8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @decoder.norm.bias from "w" : tensor<8xf32>

func.func @negative_unused_without_prefix(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected to use each heddle.weight under "decoder", but has no use for @decoder.norm.bias}}
  %y = heddle.encoder_decoder %x, %x from("") layers(1, 1)  heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.self_attn.q_norm.weight from "w" : tensor<4xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_one_norm(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @l.self_attn.k_norm.weight of floats and shape [4], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @l.linear_gate.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear1.bias from "w" : tensor<16xf32>
heddle.weight @l.linear2.bias from "w" : tensor<8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_gate_without_bias(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a heddle.weight @l.linear_gate.bias of floats and shape [16], found none}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @l.self_attn.q_proj_weight from "w" : tensor<8x8xf32>
// expected-note @+1 {{the weight}}
heddle.weight @l.self_attn.k_proj_weight from "w" : tensor<7x8xf32>
heddle.weight @l.self_attn.v_proj_weight from "w" : tensor<8x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "w" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "w" : tensor<8xf32>
heddle.weight @l.norm2.weight from "w" : tensor<8xf32>

func.func @negative_separate_rows(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected 2 kv heads, to divide the rows of @l.self_attn.k_proj_weight, found 7}}
  %y = heddle.encoder_layer %x from("l") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}

// -----

heddle.weight @self_attn.in_proj_weight from "w" : tensor<24x8xf32>
heddle.weight @self_attn.out_proj.weight from "w" : tensor<8x8xf32>
heddle.weight @linear1.weight from "w" : tensor<16x8xf32>
heddle.weight @linear2.weight from "w" : tensor<8x16xf32>
// expected-error @+1 {{'heddle.weight' op expected to be used by a layer or a function}}
heddle.weight @linear2.biass from "w" : tensor<8xf32>
heddle.weight @norm1.weight from "w" : tensor<8xf32>
heddle.weight @norm2.weight from "w" : tensor<8xf32>

func.func @negative_unused_without_prefix(%x: tensor<?x?x8xf32>) {
  %y = heddle.encoder_layer %x from("") heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return
}
