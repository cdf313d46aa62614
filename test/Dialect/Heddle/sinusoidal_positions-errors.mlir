// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_sinusoidal_positions_c1() {
  // expected-error @+1 {{expected an even number of channels from 2, found 7}}
  %0 = heddle.sinusoidal_positions base(10000.0) : tensor<512x7xf32>
  return
}

// -----

func.func @negative_sinusoidal_positions_c1_halves() {
  // expected-error @+1 {{expected an even number of channels from 4, found 2}}
  %0 = heddle.sinusoidal_positions halves base(10000.0) : tensor<512x2xf32>
  return
}

// -----

func.func @negative_sinusoidal_positions_c2() {
  // expected-error @+1 {{expected a finite positive base, found -1.0}}
  %0 = heddle.sinusoidal_positions base(-1.0) : tensor<512x8xf32>
  return
}

// -----

func.func @negative_sinusoidal_positions_c3() {
  // expected-error @+1 {{expected a table of at most 268435456 bytes, found 268435968}}
  %0 = heddle.sinusoidal_positions base(10000.0) : tensor<524289x128xf32>
  return
}

// -----

func.func @sinusoidal_positions_c3() {
  %0 = heddle.sinusoidal_positions base(10000.0) : tensor<524288x128xf32>
  return
}

// -----

func.func @negative_sinusoidal_positions_c4() {
  // expected-error @+1 {{expected 'halves' or 'split', found both}}
  %0 = heddle.sinusoidal_positions halves split base(10000.0) : tensor<512x8xf32>
  return
}
