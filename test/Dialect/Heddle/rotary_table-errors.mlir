// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_rotary_table_c1_rows() {
  // expected-error @+1 {{expected a result of shape [258, 2, 4], found 'tensor<257x2x4xf32>'}}
  %0 = heddle.rotary_table dimension(8) positions(512) base(10000.0) : tensor<257x2x4xf32>
  return
}

// -----

func.func @negative_rotary_table_c1_dimension() {
  // expected-error @+1 {{expected a result of shape [258, 2, 4], found 'tensor<258x2x8xf32>'}}
  %0 = heddle.rotary_table dimension(8) positions(512) base(10000.0) : tensor<258x2x8xf32>
  return
}

// -----

func.func @negative_rotary_table_c2_dimension() {
  // expected-error @+1 {{expected a positive even dimension, found 7}}
  %0 = heddle.rotary_table dimension(7) positions(512) base(10000.0) : tensor<258x2x3xf32>
  return
}

// -----

func.func @negative_rotary_table_c2_positions() {
  // expected-error @+1 {{expected positions from 1 to 1073739776, found 0}}
  %0 = heddle.rotary_table dimension(8) positions(0) base(10000.0) : tensor<256x2x4xf32>
  return
}

// -----

func.func @negative_rotary_table_c3() {
  // expected-error @+1 {{expected a short_factor of 4 numbers, one for each pair of channels, found 1}}
  %0 = heddle.rotary_table dimension(8) positions(512) base(10000.0)
      scaling(<longrope, factor = 2.0, original = 128, length = 512, short_factor = [1.0], long_factor = [1.0]>)
    : tensor<258x2x4xf32>
  return
}

// -----

func.func @negative_rotary_table_c3_by_position() {
  // expected-error @+1 {{expected a scaling of one length, found one of each position's}}
  %0 = heddle.rotary_table dimension(2) positions(512) base(10000.0)
      scaling(<longrope, factor = 2.0, original = 128, short_factor = [1.0], long_factor = [1.0]>)
    : tensor<258x2x1xf32>
  return
}
