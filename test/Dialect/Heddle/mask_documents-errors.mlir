// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_mask_documents_c1(%q: tensor<2x?xi32>, %k: tensor<2x?xi64>) {
  // expected-error @+1 {{expected documents of one type, found 'i32' of the queries and 'i64' of the keys}}
  %0 = heddle.mask.documents %q, %k : tensor<2x?xi32>, tensor<2x?xi64>
  return
}

// -----

func.func @negative_mask_documents_c2(%q: tensor<2x?xi32>) {
  // expected-error @+1 {{expected a summary of 2 tensors, found 1}}
  %0 = heddle.mask.documents %q, %q summary(%q : tensor<2x?xi32>)
      : tensor<2x?xi32>, tensor<2x?xi32>
  return
}
