// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_mixture_of_experts_c1(%x: tensor<2x4xf32>, %r: tensor<8x3xf32>, %g: tensor<8x6x4xf32>, %d: tensor<8x4x6xf32>) {
  // expected-error @+1 {{expected a router of shape [8, 4], found 'tensor<8x3xf32>'}}
  %0 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d) top(2)
     : tensor<2x4xf32>, tensor<8x3xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>, tensor<8x4x6xf32>
  return
}

// -----

func.func @negative_mixture_of_experts_c2(%x: tensor<2x4xf32>, %r: tensor<8x4xf32>, %g: tensor<8x6x4xf32>, %u: tensor<7x6x4xf32>, %d: tensor<8x4x6xf32>) {
  // expected-error @+1 {{expected an up projection of shape [8, 6, 4], found 'tensor<7x6x4xf32>'}}
  %0 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d) top(2)
     : tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x6x4xf32>, tensor<7x6x4xf32>, tensor<8x4x6xf32>
  return
}

// -----

func.func @negative_mixture_of_experts_c3(%x: tensor<2x4xf32>, %r: tensor<8x4xf32>, %g: tensor<8x6x4xf32>) {
  // expected-error @+1 {{expected a down projection of shape [8, 4, 6], found 'tensor<8x6x4xf32>'}}
  %0 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %g) top(2)
     : tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>
  return
}

// -----

func.func @negative_mixture_of_experts_c4(%x: tensor<2x4xf32>, %r: tensor<8x4xf32>, %g: tensor<8x6x4xf32>, %d: tensor<8x4x6xf32>) {
  // expected-error @+1 {{expected a top from 1 to 8, found 9}}
  %0 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d) top(9)
     : tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>, tensor<8x4x6xf32>
  return
}

// -----

func.func @negative_mixture_of_experts_c5(%x: tensor<2x4xf32>, %r: tensor<8x4xf32>, %g: tensor<8x6x4xf32>, %d: tensor<8x4x6xf32>, %s: tensor<5x4xf32>) {
  // expected-error @+1 {{expected a shared down projection of shape [4, 5], found 'tensor<5x4xf32>'}}
  %0 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d)
       shared(%s, %s, %s : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) top(2)
     : tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>, tensor<8x4x6xf32>
  return
}

// -----

func.func @negative_mixture_of_experts_c5_missing(%x: tensor<2x4xf32>, %r: tensor<8x4xf32>, %g: tensor<8x6x4xf32>, %d: tensor<8x4x6xf32>, %s: tensor<5x4xf32>) {
  // expected-error @+1 {{expected gate, up and down of a shared expert, or none}}
  %0 = "heddle.mixture_of_experts"(%x, %r, %g, %g, %d, %s)
       <{kind = #heddle<activation silu>, top = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>}>
     : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x6x4xf32>, tensor<8x6x4xf32>, tensor<8x4x6xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return
}
