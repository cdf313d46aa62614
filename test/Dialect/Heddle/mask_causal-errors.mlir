// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_mask_causal_c1_neither() {
  // expected-error @+1 {{expected exactly one of 'offset' and 'align'}}
  %0 = heddle.mask.causal
  return
}

// -----

func.func @negative_mask_causal_c1_both(%starts: tensor<?xi32>) {
  // expected-error @+1 {{expected exactly one of 'offset' and 'align'}}
  %0 = heddle.mask.causal offset(%starts : tensor<?xi32>) align(top_left)
  return
}

// -----

func.func @negative_mask_causal_c2() {
  // expected-error @+1 {{expected 'plus' from -16777216 to 16777216, found 16777217}}
  %0 = heddle.mask.causal align(top_left) plus(16777217)
  return
}

// -----

func.func @negative_mask_causal_c2_size(%starts: tensor<?xi32>) {
  // expected-error @+1 {{expected a number as 'plus' of an offset, found "past"}}
  %0 = heddle.mask.causal offset(%starts : tensor<?xi32>) plus("past")
  return
}
