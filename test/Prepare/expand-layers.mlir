// RUN: heddle-opt %s --split-input-file --heddle-expand-layers | FileCheck %s

heddle.weight @l.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @l.self_attn.in_proj_bias from "b" : tensor<24xf32>
heddle.weight @l.self_attn.out_proj.weight from "c" : tensor<8x8xbf16>
heddle.weight @l.self_attn.out_proj.bias from "d" : tensor<8xf32>
heddle.weight @l.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @l.linear1.bias from "f" : tensor<16xf32>
heddle.weight @l.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @l.linear2.bias from "h" : tensor<8xf32>
heddle.weight @l.norm1.weight from "i" : tensor<8xf32>
heddle.weight @l.norm1.bias from "j" : tensor<8xf32>
heddle.weight @l.norm2.weight from "k" : tensor<8xf32>
heddle.weight @l.norm2.bias from "l" : tensor<8xf32>
// Of another layer, whose prefix only looks alike.
heddle.weight @l2 from "m" : tensor<8xf32>

// CHECK-LABEL: func.func @post
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32>, %[[M:.*]]: !heddle.mask
// CHECK: %[[W:.*]] = heddle.weight_ref @l.self_attn.in_proj_weight : tensor<24x8xf32>
// CHECK: %[[B:.*]] = heddle.weight_ref @l.self_attn.in_proj_bias : tensor<24xf32>
// CHECK: %[[WO:.*]] = heddle.weight_ref @l.self_attn.out_proj.weight : tensor<8x8xbf16>
// CHECK: %[[BO:.*]] = heddle.weight_ref @l.self_attn.out_proj.bias : tensor<8xf32>
// CHECK: %[[A:.*]] = heddle.multi_head_attention %[[X]], %[[X]], %[[X]] mask(%[[M]]) heads(2, kv = 2)
// CHECK-SAME: combined(%[[W]], %[[B]] : tensor<24x8xf32>, tensor<24xf32>) output(%[[WO]], %[[BO]] :
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[A]] : tensor<?x?x8xf32>
// CHECK: %[[W1:.*]] = heddle.weight_ref @l.norm1.weight
// CHECK: %[[B1:.*]] = heddle.weight_ref @l.norm1.bias
// CHECK: %[[N:.*]] = heddle.layer_norm %[[S]], %[[W1]], %[[B1]] epsilon(1.000000e-05)
// CHECK: heddle.weight_ref @l.linear1.weight
// CHECK: heddle.weight_ref @l.linear2.weight
// CHECK: heddle.weight_ref @l.linear1.bias
// CHECK: heddle.weight_ref @l.linear2.bias
// CHECK: %[[F:.*]] = heddle.feed_forward relu %[[N]], %{{.*}}, %{{.*}} biases(
// CHECK: %[[T:.*]] = arith.addf %[[N]], %[[F]]
// CHECK: %[[Y:.*]] = heddle.layer_norm %[[T]]
// CHECK: return %[[Y]]
func.func @post(%x: tensor<?x?x8xf32>, %m: !heddle.mask) -> tensor<?x?x8xf32> {
  %y = heddle.encoder_layer %x from("l") mask(%m) heads(2) norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// CHECK-LABEL: func.func @pre
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32>
// CHECK: %[[N:.*]] = heddle.layer_norm %[[X]]
// CHECK: %[[A:.*]] = heddle.multi_head_attention %[[N]], %[[N]], %[[N]] heads(4, kv = 1)
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[A]]
// CHECK: %[[O:.*]] = heddle.layer_norm %[[S]]
// CHECK: %[[F:.*]] = heddle.feed_forward gelu %[[O]]
// CHECK: %[[Y:.*]] = arith.addf %[[S]], %[[F]]
// CHECK: return %[[Y]]
func.func @pre(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %y = heddle.encoder_layer %x from("p") heads(4, kv = 1) norm(pre) activation(gelu) epsilon(1.0e-5) : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
heddle.weight @p.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @p.self_attn.out_proj.weight from "c" : tensor<8x16xf32>
heddle.weight @p.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @p.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @p.norm1.weight from "i" : tensor<8xf32>
heddle.weight @p.norm2.weight from "k" : tensor<8xf32>

// -----

// CHECK-LABEL: func.func @sandwich
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32>
// CHECK: heddle.weight_ref @l.norm1.weight
// CHECK: %[[N:.*]] = heddle.rms_norm %[[X]]
// CHECK: %[[A:.*]] = heddle.multi_head_attention %[[N]]
// CHECK: heddle.weight_ref @l.post_norm1.weight
// CHECK: %[[P:.*]] = heddle.rms_norm %[[A]]
// CHECK: arith.addf %[[X]], %[[P]]
// CHECK: heddle.weight_ref @l.norm2.weight
// CHECK: heddle.feed_forward gelu_tanh
// CHECK: heddle.weight_ref @l.post_norm2.weight
// CHECK: heddle.rms_norm
// CHECK: arith.addf
// CHECK-NOT: heddle.rms_norm
func.func @sandwich(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %y = heddle.encoder_layer %x from("l") heads(2) norm(sandwich, rms) activation(gelu_tanh) epsilon(1.0e-6) : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
heddle.weight @l.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "i" : tensor<8xf32>
heddle.weight @l.norm2.weight from "k" : tensor<8xf32>
heddle.weight @l.post_norm1.weight from "l" : tensor<8xf32>
heddle.weight @l.post_norm2.weight from "m" : tensor<8xf32>

// -----

// Where query and memory differ, in_proj_weight is read in parts.
// CHECK-LABEL: func.func @decoder_layer
// CHECK-SAME: %[[X:.*]]: tensor<?x?x8xf32>, %[[MEMORY:.*]]: tensor<?x?x8xf32>, %[[M:.*]]: !heddle.mask, %[[N:.*]]: !heddle.mask
// CHECK: heddle.multi_head_attention %[[X]], %[[X]], %[[X]] mask(%[[M]]) heads(2, kv = 1) combined(
// CHECK: %[[Y:.*]] = heddle.layer_norm
// CHECK: %[[WQ:.*]] = heddle.weight_ref @l.multihead_attn.in_proj_weight offsets [0, 0] : tensor<8x8xf32>
// CHECK: %[[BQ:.*]] = heddle.weight_ref @l.multihead_attn.in_proj_bias offsets [0] : tensor<8xf32>
// CHECK: %[[WK:.*]] = heddle.weight_ref @l.multihead_attn.in_proj_weight offsets [8, 0] : tensor<4x8xf32>
// CHECK: %[[BK:.*]] = heddle.weight_ref @l.multihead_attn.in_proj_bias offsets [8] : tensor<4xf32>
// CHECK: %[[WV:.*]] = heddle.weight_ref @l.multihead_attn.in_proj_weight offsets [12, 0] : tensor<4x8xf32>
// CHECK: %[[BV:.*]] = heddle.weight_ref @l.multihead_attn.in_proj_bias offsets [12] : tensor<4xf32>
// CHECK: heddle.multi_head_attention %[[Y]], %[[MEMORY]], %[[MEMORY]] mask(%[[N]]) heads(2, kv = 1)
// CHECK-SAME: query(%[[WQ]], %[[BQ]] : {{.*}}) key(%[[WK]], %[[BK]] : {{.*}}) value(%[[WV]], %[[BV]] : {{.*}}) output(
// CHECK: @l.norm2.weight
// CHECK: heddle.feed_forward
// CHECK: @l.norm3.weight
func.func @decoder_layer(%x: tensor<?x?x8xf32>, %memory: tensor<?x?x8xf32>, %m: !heddle.mask, %n: !heddle.mask) -> tensor<?x?x8xf32> {
  %y = heddle.decoder_layer %x, %memory from("l") mask(%m) memory_mask(%n) heads(2, kv = 1) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// A memory of another width has weights of its own.
// CHECK-LABEL: func.func @wide_memory
// CHECK: heddle.weight_ref @w.multihead_attn.q_proj_weight : tensor<8x8xf32>
// CHECK: heddle.weight_ref @w.multihead_attn.k_proj_weight : tensor<8x20xf32>
// CHECK: heddle.weight_ref @w.multihead_attn.v_proj_weight : tensor<6x20xf32>
// CHECK: heddle.weight_ref @w.multihead_attn.in_proj_bias offsets [0] : tensor<8xf32>
// CHECK: heddle.weight_ref @w.multihead_attn.in_proj_bias offsets [8] : tensor<8xf32>
// CHECK: heddle.weight_ref @w.multihead_attn.in_proj_bias offsets [16] : tensor<6xf32>
// CHECK: heddle.weight_ref @w.multihead_attn.out_proj.weight : tensor<8x6xf32>
func.func @wide_memory(%x: tensor<?x?x8xf32>, %memory: tensor<?x?x20xf32>) -> tensor<?x?x8xf32> {
  %y = heddle.decoder_layer %x, %memory from("w") heads(2) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x20xf32>
  return %y : tensor<?x?x8xf32>
}
heddle.weight @l.self_attn.in_proj_weight from "a" : tensor<16x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @l.multihead_attn.in_proj_weight from "a2" : tensor<16x8xf32>
heddle.weight @l.multihead_attn.in_proj_bias from "b2" : tensor<16xf32>
heddle.weight @l.multihead_attn.out_proj.weight from "c2" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "i" : tensor<8xf32>
heddle.weight @l.norm2.weight from "k" : tensor<8xf32>
heddle.weight @l.norm3.weight from "l" : tensor<8xf32>
heddle.weight @w.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @w.self_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @w.multihead_attn.q_proj_weight from "q" : tensor<8x8xf32>
heddle.weight @w.multihead_attn.k_proj_weight from "k" : tensor<8x20xf32>
heddle.weight @w.multihead_attn.v_proj_weight from "v" : tensor<6x20xf32>
heddle.weight @w.multihead_attn.in_proj_bias from "b2" : tensor<22xf32>
heddle.weight @w.multihead_attn.out_proj.weight from "c2" : tensor<8x6xf32>
heddle.weight @w.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @w.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @w.norm1.weight from "i" : tensor<8xf32>
heddle.weight @w.norm2.weight from "k" : tensor<8xf32>
heddle.weight @w.norm3.weight from "l" : tensor<8xf32>

// -----

// Layers in order, then the norm after them; a decoder that has none; a projection.
// CHECK-LABEL: func.func @encoder_decoder
// CHECK-SAME: %[[S:.*]]: tensor<?x?x8xf32>, %[[T:.*]]: tensor<?x3x8xf32>
// CHECK: heddle.weight_ref @t.encoder.layers.0.self_attn.in_proj_weight
// CHECK: heddle.multi_head_attention %[[S]]
// CHECK: heddle.weight_ref @t.encoder.layers.1.self_attn.in_proj_weight
// CHECK: heddle.weight_ref @t.encoder.layers.1.norm2.weight
// CHECK: heddle.weight_ref @t.encoder.norm.weight
// CHECK: heddle.weight_ref @t.encoder.norm.bias
// CHECK: %[[MEMORY:.*]] = heddle.layer_norm
// CHECK: heddle.weight_ref @t.decoder.layers.0.self_attn.in_proj_weight
// CHECK: heddle.multi_head_attention %[[T]]
// CHECK: heddle.multi_head_attention %{{.*}}, %[[MEMORY]], %[[MEMORY]]
// CHECK: heddle.feed_forward
// CHECK: %[[Y:.*]] = heddle.layer_norm
// CHECK: %[[B:.*]] = heddle.weight_ref @g.bias
// CHECK: %[[W:.*]] = heddle.weight_ref @g.weight
// CHECK: %[[L:.*]] = heddle.linear %[[Y]], %[[W]] bias(%[[B]] : tensor<100xf32>)
// CHECK: %[[P:.*]] = heddle.softmax %[[L]] axis(2)
// CHECK: return %[[P]] : tensor<?x3x100xf32>
func.func @encoder_decoder(%s: tensor<?x?x8xf32>, %t: tensor<?x3x8xf32>) -> tensor<?x3x100xf32> {
  %y = heddle.encoder_decoder %s, %t from("t") layers(2, 1) projection("g") softmax heads(2) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x3x8xf32> -> tensor<?x3x100xf32>
  return %y : tensor<?x3x100xf32>
}
heddle.weight @t.encoder.layers.0.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @t.encoder.layers.0.self_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @t.encoder.layers.0.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @t.encoder.layers.0.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @t.encoder.layers.0.norm1.weight from "i" : tensor<8xf32>
heddle.weight @t.encoder.layers.0.norm2.weight from "k" : tensor<8xf32>
heddle.weight @t.encoder.layers.1.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @t.encoder.layers.1.self_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @t.encoder.layers.1.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @t.encoder.layers.1.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @t.encoder.layers.1.norm1.weight from "i" : tensor<8xf32>
heddle.weight @t.encoder.layers.1.norm2.weight from "k" : tensor<8xf32>
heddle.weight @t.encoder.norm.weight from "k" : tensor<8xf32>
heddle.weight @t.encoder.norm.bias from "k" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.self_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @t.decoder.layers.0.multihead_attn.out_proj.weight from "c" : tensor<8x8xf32>
heddle.weight @t.decoder.layers.0.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @t.decoder.layers.0.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @t.decoder.layers.0.norm1.weight from "i" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.norm2.weight from "k" : tensor<8xf32>
heddle.weight @t.decoder.layers.0.norm3.weight from "k" : tensor<8xf32>
heddle.weight @g.weight from "k" : tensor<100x8xf32>
heddle.weight @g.bias from "k" : tensor<100xf32>

// -----

// CHECK-LABEL: func.func @gated
// CHECK: heddle.weight_ref @l.self_attn.q_norm.weight : tensor<4xf32>
// CHECK: heddle.weight_ref @l.self_attn.k_norm.weight : tensor<4xf32>
// CHECK: heddle.multi_head_attention %{{.*}} heads(4, kv = 2) combined(
// CHECK-SAME: norms(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) epsilon(9.99
// CHECK: %[[UP:.*]] = heddle.weight_ref @l.linear1.weight
// CHECK: %[[DOWN:.*]] = heddle.weight_ref @l.linear2.weight
// CHECK: %[[GATE:.*]] = heddle.weight_ref @l.linear_gate.weight
// CHECK: heddle.gated_feed_forward silu %{{.*}}, %[[GATE]], %[[UP]], %[[DOWN]] :
func.func @gated(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %y = heddle.encoder_layer %x from("l") heads(4, kv = 2) norm(pre, rms) activation(silu) epsilon(1.0e-6) : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
heddle.weight @l.self_attn.in_proj_weight from "a" : tensor<32x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "b" : tensor<8x16xf32>
heddle.weight @l.self_attn.q_norm.weight from "c" : tensor<4xf32>
heddle.weight @l.self_attn.k_norm.weight from "d" : tensor<4xf32>
heddle.weight @l.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @l.linear_gate.weight from "f" : tensor<16x8xf32>
heddle.weight @l.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @l.norm1.weight from "h" : tensor<8xf32>
heddle.weight @l.norm2.weight from "i" : tensor<8xf32>

// -----

// CHECK-LABEL: func.func @gated_with_biases
// CHECK: heddle.gated_feed_forward gelu %{{.*}} biases(%{{.*}}, %{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16xf32>, tensor<8xf32>)
func.func @gated_with_biases(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %y = heddle.encoder_layer %x from("l") heads(2) norm(pre, rms) activation(gelu) epsilon(1.0e-6) : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
heddle.weight @l.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @l.self_attn.out_proj.weight from "b" : tensor<8x8xf32>
heddle.weight @l.linear1.weight from "e" : tensor<16x8xf32>
heddle.weight @l.linear1.bias from "e1" : tensor<16xf32>
heddle.weight @l.linear_gate.weight from "f" : tensor<16x8xf32>
heddle.weight @l.linear_gate.bias from "f1" : tensor<16xf32>
heddle.weight @l.linear2.weight from "g" : tensor<8x16xf32>
heddle.weight @l.linear2.bias from "g1" : tensor<8xf32>
heddle.weight @l.norm1.weight from "h" : tensor<8xf32>
heddle.weight @l.norm2.weight from "i" : tensor<8xf32>

// -----

heddle.weight @e.layers.0.self_attn.in_proj_weight from "a" : tensor<24x8xf32>
heddle.weight @e.layers.0.self_attn.out_proj.weight from "b" : tensor<8x8xf32>
heddle.weight @e.layers.0.linear1.weight from "c" : tensor<16x8xf32>
heddle.weight @e.layers.0.linear2.weight from "d" : tensor<8x16xf32>
heddle.weight @e.layers.0.norm1.weight from "e" : tensor<8xf32>
heddle.weight @e.layers.0.norm2.weight from "f" : tensor<8xf32>
heddle.weight @e.layers.1.self_attn.in_proj_weight from "g" : tensor<24x8xf32>
heddle.weight @e.layers.1.self_attn.out_proj.weight from "h" : tensor<8x8xf32>
heddle.weight @e.layers.1.linear1.weight from "i" : tensor<16x8xf32>
heddle.weight @e.layers.1.linear2.weight from "j" : tensor<8x16xf32>
heddle.weight @e.layers.1.norm1.weight from "k" : tensor<8xf32>
heddle.weight @e.layers.1.norm2.weight from "l" : tensor<8xf32>

// Each layer appends to its own of the cache, and has its own change of scores.
// CHECK-LABEL: func.func @stack
// CHECK-SAME: %[[C:[a-z0-9]+]]: !heddle.cache<2 x 2 x 4 x f32>
// CHECK: %{{.*}}:2 = heddle.multi_head_attention {{.*}} cache(%[[C]] : {{.*}}) layer(0) at({{.*}}) score {
// CHECK: heddle.softcap
// CHECK: = heddle.multi_head_attention {{.*}} cache(%{{.*}}#1 : {{.*}}) layer(1) at({{.*}}) score {
// CHECK: heddle.softcap
// CHECK: return %{{.*}}, %{{.*}}#1
func.func @stack(%x: tensor<?x?x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %n: tensor<?xi32>)
    -> (tensor<?x?x8xf32>, !heddle.cache<2 x 2 x 4 x f32>) {
  %m = heddle.mask.causal offset(%n : tensor<?xi32>)
  %y, %c1 = heddle.encoder %x from("e") layers(2) mask(%m) cache(%c : !heddle.cache<2 x 2 x 4 x f32>)
       at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>) heads(2) norm(pre, rms) activation(relu) epsilon(1.0e-5)
       score {
       ^bb0(%s: tensor<?x2x?x?xf32>):
         %0 = heddle.softcap %s cap(30.0) : tensor<?x2x?x?xf32>
         heddle.yield %0 : tensor<?x2x?x?xf32>
       } : tensor<?x?x8xf32>
  return %y, %c1 : tensor<?x?x8xf32>, !heddle.cache<2 x 2 x 4 x f32>
}
