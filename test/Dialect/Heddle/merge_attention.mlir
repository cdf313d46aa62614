// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @merge_attention
func.func @merge_attention(%u: tensor<?x?x64xf32>, %m: tensor<?x4x?xf32>, %o: tensor<2x4x5x16xf32>, %n: tensor<2x4x5xf32>,
    %p: tensor<2x3x4x5x16xf32>, %r: tensor<2x3x4x5xf32>, %w: tensor<5x64xf32>, %x: tensor<4x5xf32>,
    %y: tensor<2x5x4x16xf32>) {
  // CHECK: heddle.merge_attention (%{{.*}}, %{{.*}}) maxima(%{{.*}}, %{{.*}}) sums(%{{.*}}, %{{.*}}) : tensor<?x?x64xf32>, tensor<?x4x?xf32>
  %0 = heddle.merge_attention (%u, %u) maxima(%m, %m) sums(%m, %m) : tensor<?x?x64xf32>, tensor<?x4x?xf32>
  // CHECK: %{{.*}}:3 = heddle.merge_attention (%{{.*}}) maxima(%{{.*}}) sums(%{{.*}}) results(unnormalized, log_sum_exp, sum) : tensor<2x4x5x16xf32>, tensor<2x4x5xf32>
  %1:3 = heddle.merge_attention (%o) maxima(%n) sums(%n) results(unnormalized, log_sum_exp, sum) : tensor<2x4x5x16xf32>, tensor<2x4x5xf32>
  // No dimension of batches, or several.
  // CHECK: heddle.merge_attention (%{{.*}}) maxima(%{{.*}}) sums(%{{.*}}) : tensor<2x3x4x5x16xf32>, tensor<2x3x4x5xf32>
  %2 = heddle.merge_attention (%p) maxima(%r) sums(%r) : tensor<2x3x4x5x16xf32>, tensor<2x3x4x5xf32>
  // CHECK: heddle.merge_attention (%{{.*}}) maxima(%{{.*}}) sums(%{{.*}}) : tensor<5x64xf32>, tensor<4x5xf32>
  %3 = heddle.merge_attention (%w) maxima(%x) sums(%x) : tensor<5x64xf32>, tensor<4x5xf32>
  // CHECK: heddle.merge_attention (%{{.*}}) maxima(%{{.*}}) sums(%{{.*}}) layout(batch, length, head, channel) results(sum) : tensor<2x5x4x16xf32>, tensor<2x4x5xf32>
  %4 = heddle.merge_attention (%y) maxima(%n) sums(%n) layout(batch, length, head, channel) results(sum) : tensor<2x5x4x16xf32>, tensor<2x4x5xf32>
  return
}
