// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_mask_window_c1() {
  // expected-error @+1 {{expected exactly one of 'offset' and 'align'}}
  %0 = heddle.mask.window left(3)
  return
}

// -----

func.func @negative_mask_window_c2() {
  // expected-error @+1 {{expected 'plus' from -16777216 to 16777216, found -16777217}}
  %0 = heddle.mask.window left(3) align(top_left) plus(-16777217)
  return
}

// -----

func.func @negative_mask_window_c3() {
  // expected-error @+1 {{expected at least one of 'left' and 'right'}}
  %0 = heddle.mask.window align(top_left)
  return
}

// -----

func.func @negative_mask_window_c4() {
  // expected-error @+1 {{expected limits from 0 to 16777216, found -1}}
  %0 = heddle.mask.window left(-1) align(top_left)
  return
}

// -----

func.func @negative_mask_window_c2_size(%starts: tensor<?xi32>) {
  // expected-error @+1 {{expected a number as 'plus' of an offset, found "past"}}
  %0 = heddle.mask.window left(3) offset(%starts : tensor<?xi32>) plus("past")
  return
}
