// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_mask_lengths_c1(%lengths: tensor<?xi32>) {
  // expected-error @+1 {{expected lengths of 'key' or 'query', found 'head'}}
  %0 = heddle.mask.lengths %lengths of(head) : tensor<?xi32>
  return
}
