// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_decoder_layer_c1(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 4 and 3}}
  %0 = heddle.decoder_layer %x, %x from("l") heads(4, kv = 3) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_decoder_layer_c2(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found}}
  %0 = heddle.decoder_layer %x, %x from("l") heads(4) norm(post) activation(relu) epsilon(1.0e39)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_decoder_layer_c4(%x: tensor<?x?x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected a memory_score region with arguments of f32 and 4 dimensions, 1 of them, and for operands of types 'tensor<4xf32>'; found 'tensor<?x4x?x?xf32>'}}
  %0 = heddle.decoder_layer %x, %x from("l") heads(4) norm(post) activation(relu) epsilon(1.0e-5)
       memory_score(%b : tensor<4xf32>) {
       ^bb0(%s: tensor<?x4x?x?xf32>):
         heddle.yield %s : tensor<?x4x?x?xf32>
       } : tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_decoder_layer_c3(%x: tensor<?x?x8xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected a cache with what appends to it, or neither}}
  %0 = "heddle.decoder_layer"(%x, %x, %n) <{activation = #heddle<activation relu>, epsilon = 1.0e-05 : f64, heads = 4 : i64, norm = #heddle<norm_order post>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1, 0, 0, 0>, prefix = "l"}> ({}, {})
     : (tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>) -> tensor<?x?x8xf32>
  return
}
