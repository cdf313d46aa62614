// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_encoder_decoder_c1(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 4 and 3}}
  %0 = heddle.encoder_decoder %x, %x from("t") layers(2, 2) heads(4, kv = 3) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_decoder_c2(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found -1.0}}
  %0 = heddle.encoder_decoder %x, %x from("t") layers(2, 2) heads(4) norm(post) activation(relu) epsilon(-1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_decoder_c3(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected at least one layer, found 0}}
  %0 = heddle.encoder_decoder %x, %x from("t") layers(2, 0) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_decoder_c4(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a result of the type of the target, 'tensor<?x?x8xf32>', found 'tensor<?x?x9xf32>'}}
  %0 = heddle.encoder_decoder %x, %x from("t") layers(2, 2) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x9xf32>
  return
}

// -----

func.func @negative_encoder_decoder_c4_projection(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a result of the type of the target, 'tensor<?x?x8xf32>', but for the number of channels, found 'tensor<?x3x9xf32>'}}
  %0 = heddle.encoder_decoder %x, %x from("t") layers(2, 2) projection("p") heads(4) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x3x9xf32>
  return
}

// -----

func.func @negative_encoder_decoder_c5(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a projection whose softmax this is}}
  %0 = heddle.encoder_decoder %x, %x from("t") layers(2, 2) softmax heads(4) norm(post) activation(relu) epsilon(1.0e-5)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_encoder_decoder_c6(%x: tensor<?x?x8xf32>) {
  // expected-error @+1 {{expected a target_score region with arguments of f32 and 4 dimensions, 1 of them}}
  %0 = heddle.encoder_decoder %x, %x from("") layers(1, 1) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
       target_score {
       ^bb0(%s: tensor<?x4x?xf32>):
         heddle.yield %s : tensor<?x4x?xf32>
       } : tensor<?x?x8xf32>, tensor<?x?x8xf32> -> tensor<?x?x8xf32>
  return
}
