// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_merge_attention_c1(%u: tensor<2x5x64xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected as many maxima and sums as parts, found 1 and 2 of 2}}
  %0 = heddle.merge_attention (%u, %u) maxima(%m) sums(%m, %m) : tensor<2x5x64xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c2(%u: tensor<2x5x63xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected 4 heads, as the maxima have, found 'tensor<2x5x63xf32>'}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) : tensor<2x5x63xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c2_dynamic(%u: tensor<2x5x64xf32>, %m: tensor<2x?x5xf32>) {
  // expected-error @+1 {{expected heads and channels of sizes that are known, found 'tensor<2x?x5xf32>' and 'tensor<2x5x64xf32>'}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) : tensor<2x5x64xf32>, tensor<2x?x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c3(%u: tensor<2x5x64xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{cannot give 'weights' of parts of the keys}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) results(weights) : tensor<2x5x64xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c2_rank(%u: tensor<2x5x64xf32>, %m: tensor<5xf32>) {
  // expected-error @+1 {{expected maxima of [..., heads, length], and parts of as many dimensions or one more, found 'tensor<5xf32>' and 'tensor<2x5x64xf32>'}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) : tensor<2x5x64xf32>, tensor<5xf32>
  return
}

// -----

func.func @negative_merge_attention_c2_batches(%u: tensor<2x5x64xf32>, %m: tensor<2x2x4x5xf32>) {
  // expected-error @+1 {{expected maxima of [..., heads, length], and parts of as many dimensions or one more, found 'tensor<2x2x4x5xf32>' and 'tensor<2x5x64xf32>'}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) : tensor<2x5x64xf32>, tensor<2x2x4x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c4(%u: tensor<2x5x4x16xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected a layout with length and channel once, and head at most once}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) layout(batch, length, length, channel) : tensor<2x5x4x16xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c4_rank(%u: tensor<2x5x4x16xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected a layout of the dimensions of 'tensor<2x5x4x16xf32>' and of the batches of 'tensor<2x4x5xf32>'}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) layout(length, head, channel) : tensor<2x5x4x16xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c4_heads(%u: tensor<2x5x3x16xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected 4 heads, as the maxima have, found 'tensor<2x5x3x16xf32>'}}
  %0 = heddle.merge_attention (%u) maxima(%m) sums(%m) layout(batch, length, head, channel) : tensor<2x5x3x16xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @merge_attention_order(%u: tensor<2x5x16xf32>, %m: tensor<2x2x5xf32>) {
  // expected-error @+1 {{expected options in this order: maxima, sums, layout, results; found 'layout' again or too late}}
  %y = heddle.merge_attention (%u) maxima(%m) sums(%m) results(output) layout(batch, length, channel) : tensor<2x5x16xf32>, tensor<2x2x5xf32>
  return
}

// -----

func.func @negative_merge_attention_c1_doubles(%u: tensor<2x5x16xf64>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected parts, maxima and sums of f64, or none of them, found}}
  %y = heddle.merge_attention (%u) maxima(%m) sums(%m) : tensor<2x5x16xf64>, tensor<2x4x5xf32>
  return
}
