// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_alibi_c1(%s: tensor<?x8x?x?xf32>, %slopes: tensor<8xf32>) {
  // expected-error @+1 {{expected exactly one of 'offset' and 'align'}}
  %0 = heddle.alibi %s, %slopes : tensor<?x8x?x?xf32>, tensor<8xf32>
  return
}

// -----

func.func @negative_alibi_c2(%s: tensor<?x8x?x?xf32>, %slopes: tensor<4xf32>) {
  // expected-error @+1 {{expected a slope for each of 8 heads, found 4}}
  %0 = heddle.alibi %s, %slopes align(top_left) : tensor<?x8x?x?xf32>, tensor<4xf32>
  return
}
