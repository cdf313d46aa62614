// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_feed_forward_c1(%x: tensor<?x8xf32>, %up: tensor<16x4xf32>, %down: tensor<8x16xf32>) {
  // expected-error @+1 {{expected an up projection of shape [16, 8], found 'tensor<16x4xf32>'}}
  %0 = heddle.feed_forward silu %x, %up, %down : tensor<?x8xf32>, tensor<16x4xf32>, tensor<8x16xf32>
  return
}

// -----

func.func @negative_feed_forward_c2(%x: tensor<?x8xf32>, %up: tensor<16x8xf32>) {
  // expected-error @+1 {{expected a down projection of shape [8, 16], found 'tensor<16x8xf32>'}}
  %0 = heddle.feed_forward silu %x, %up, %up : tensor<?x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  return
}

// -----

func.func @negative_feed_forward_c3_up(%x: tensor<?x8xf32>, %up: tensor<16x8xf32>, %down: tensor<8x16xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{expected an up bias of 16 elements, found 8}}
  %0 = heddle.feed_forward silu %x, %up, %down biases(%b, %b : tensor<8xf32>, tensor<8xf32>)
     : tensor<?x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return
}

// -----

func.func @negative_feed_forward_c3_down(%x: tensor<?x8xf32>, %up: tensor<16x8xf32>, %down: tensor<8x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{expected a down bias of 8 elements, found 16}}
  %0 = heddle.feed_forward silu %x, %up, %down biases(%b, %b : tensor<16xf32>, tensor<16xf32>)
     : tensor<?x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return
}

// -----

func.func @negative_feed_forward_c3_one_missing(%x: tensor<?x8xf32>, %up: tensor<16x8xf32>, %down: tensor<8x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{expected biases of up and down, or none}}
  %0 = "heddle.feed_forward"(%x, %up, %down, %b)
       <{kind = #heddle<activation silu>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
     : (tensor<?x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<?x8xf32>
  return
}
