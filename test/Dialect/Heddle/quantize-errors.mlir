// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @negative_quantize_c1(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected an axis}}
  %q, %s = heddle.quantize %x axis(2) group(3) : tensor<4x6xf32> -> tensor<4x6xi8>, tensor<4x2xf32>
  return
}

// -----

func.func @negative_quantize_c2_group(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected groups of equal size along axis 1, found "6" elements in groups of 4}}
  %q, %s = heddle.quantize %x axis(1) group(4) : tensor<4x6xf32> -> tensor<4x6xi8>, tensor<4x2xf32>
  return
}

// -----

func.func @negative_quantize_c2_zero(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected groups of equal size along axis 1, found "6" elements in groups of 0}}
  %q, %s = heddle.quantize %x axis(1) group(0) : tensor<4x6xf32> -> tensor<4x6xi8>, tensor<4x2xf32>
  return
}

// -----

func.func @negative_quantize_c2_unknown(%x: tensor<4x?xf32> {heddle.sizes = ["n"]}) {
  // expected-error @+1 {{expected groups of equal size along axis 1, found "n" elements in groups of 4}}
  %q, %s = heddle.quantize %x axis(1) group(4) : tensor<4x?xf32> -> tensor<4x?xi8>, tensor<4x1xf32>
  return
}

// -----

// Bodies of weights, too.
heddle.weight @w from "w" : tensor<4x8xf32>
heddle.weight @codes : tensor<4x8xi8> {
  %0 = heddle.weight_ref @w : tensor<4x8xf32>
  // expected-error @+1 {{expected groups of equal size along axis 1, found "8" elements in groups of 5}}
  %q, %s = heddle.quantize %0 axis(1) group(5) : tensor<4x8xf32> -> tensor<4x8xi8>, tensor<4x1xf32>
  heddle.yield %q : tensor<4x8xi8>
}
