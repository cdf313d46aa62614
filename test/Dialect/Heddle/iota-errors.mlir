// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @iota_c1() -> tensor<5xi32> {
  // expected-error @+1 {{expected an axis from 0 to 0, found 1}}
  %y = heddle.iota axis(1) sizes [5] : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

func.func @iota_c2() -> tensor<5xi1> {
  // expected-error @+1 {{result #0 must be ranked tensor of f32, f64, bf16, f16, i8, i16, i32, i64, ui8, ui16, ui32 or ui64 values, but got 'tensor<5xi1>'}}
  %y = heddle.iota axis(0) sizes [5] : tensor<5xi1>
  return %y : tensor<5xi1>
}

// -----

func.func @iota_negative() {
  // expected-error @+1 {{expected sizes of at least 0, found -5}}
  %y = heddle.iota axis(0) sizes [-5] : tensor<?xi32>
  return
}
