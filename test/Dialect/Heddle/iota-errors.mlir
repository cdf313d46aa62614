// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @iota_c1() -> tensor<5xi32> {
  // expected-error @+1 {{expected an axis from 0 to 0, found 1}}
  %y = heddle.iota axis(1) sizes [5] : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

func.func @iota_c2() -> tensor<5xi8> {
  // expected-error @+1 {{result #0 must be ranked tensor of 32-bit signless integer or 64-bit signless integer or 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<5xi8>'}}
  %y = heddle.iota axis(0) sizes [5] : tensor<5xi8>
  return %y : tensor<5xi8>
}
