// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_relative_bias_c1(%s: tensor<?x8x?x?xf32>, %t: tensor<33x8xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected exactly one of 'offset' and 'align'}}
  %0 = heddle.relative_bias %s, %t offset(%n : tensor<?xi32>) align(top_left) : tensor<?x8x?x?xf32>, tensor<33x8xf32>
  return
}

// -----

func.func @negative_relative_bias_c2_heads(%s: tensor<?x8x?x?xf32>, %t: tensor<33x4xf32>) {
  // expected-error @+1 {{expected a column for each of 8 heads, found 4}}
  %0 = heddle.relative_bias %s, %t align(top_left) : tensor<?x8x?x?xf32>, tensor<33x4xf32>
  return
}

// -----

func.func @negative_relative_bias_c2_rows(%s: tensor<?x8x?x?xf32>, %t: tensor<32x8xf32>) {
  // expected-error @+1 {{expected an odd number of rows, found 32}}
  %0 = heddle.relative_bias %s, %t align(top_left) : tensor<?x8x?x?xf32>, tensor<32x8xf32>
  return
}

// -----

func.func @negative_relative_bias_c2_both(%s: tensor<?x8x?x?xf32>, %t: tensor<33x8xf32>) {
  // expected-error @+1 {{expected 4 to 256 rows, an even number, found 33}}
  %0 = heddle.relative_bias %s, %t buckets(both, 128) align(top_left) : tensor<?x8x?x?xf32>, tensor<33x8xf32>
  return
}

// -----

func.func @negative_relative_bias_c3(%s: tensor<?x8x?x?xf32>, %t: tensor<32x8xf32>) {
  // expected-error @+1 {{expected buckets up to a distance of more than 16 and at most 65536, found 16}}
  %0 = heddle.relative_bias %s, %t buckets(causal, 16) align(top_left) : tensor<?x8x?x?xf32>, tensor<32x8xf32>
  return
}

// -----

func.func @negative_relative_bias_c2_distance(%s: tensor<1x2x4x4xf32>, %t: tensor<32x2xf32>) {
  // expected-error @+1 {{expected buckets and their distance, or none}}
  %0 = "heddle.relative_bias"(%s, %t) <{align = #heddle<alignment top_left>, buckets = #heddle<buckets both>}>
     : (tensor<1x2x4x4xf32>, tensor<32x2xf32>) -> tensor<1x2x4x4xf32>
  return
}
