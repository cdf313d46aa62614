// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @negative_dequantize_c1(%q: tensor<4x6xi8>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{expected an axis}}
  %y = heddle.dequantize %q, %s axis(2) : tensor<4x6xi8>, tensor<4x2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_dequantize_c2_rank(%q: tensor<4x6xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected scales, zeros and minimums of rank 2, found 'tensor<2xf32>'}}
  %y = heddle.dequantize %q, %s axis(1) : tensor<4x6xi8>, tensor<2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_dequantize_c2_sizes(%q: tensor<4x6xi8>, %s: tensor<5x2xf32>) {
  // expected-error @+1 {{expected the size of dimension 0 to be "4", found "5"}}
  %y = heddle.dequantize %q, %s axis(1) : tensor<4x6xi8>, tensor<5x2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_dequantize_c2_zeros(%q: tensor<4x6xi8>, %s: tensor<4x2xf32>, %z: tensor<4x3xi8>) {
  // expected-error @+1 {{expected the size of dimension 1 to be "2", found "3"}}
  %y = heddle.dequantize %q, %s zeros(%z : tensor<4x3xi8>) axis(1) : tensor<4x6xi8>, tensor<4x2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_dequantize_c2_minimums(%q: tensor<4x6xi8>, %s: tensor<4x2xf32>, %m: tensor<4x1xf32>) {
  // expected-error @+1 {{expected the size of dimension 1 to be "2", found "1"}}
  %y = heddle.dequantize %q, %s minimums(%m : tensor<4x1xf32>) axis(1) : tensor<4x6xi8>, tensor<4x2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_dequantize_c3_group(%q: tensor<4x6xi8>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{expected groups of equal size along axis 1, found "6" elements and "4" scales}}
  %y = heddle.dequantize %q, %s axis(1) : tensor<4x6xi8>, tensor<4x4xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @negative_dequantize_c3_unknown(%q: tensor<4x?xi8> {heddle.sizes = ["n"]}, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{expected groups of equal size along axis 1, found "n" elements and "1" scales}}
  %y = heddle.dequantize %q, %s axis(1) : tensor<4x?xi8>, tensor<4x1xf32> -> tensor<4x?xf32>
  return
}
