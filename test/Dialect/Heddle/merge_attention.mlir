// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @merge_attention
func.func @merge_attention(%u: tensor<?x?x64xf32>, %m: tensor<?x4x?xf32>, %o: tensor<2x4x5x16xf32>, %n: tensor<2x4x5xf32>) {
  // CHECK: heddle.merge_attention (%{{.*}}, %{{.*}}) maxima(%{{.*}}, %{{.*}}) sums(%{{.*}}, %{{.*}}) : tensor<?x?x64xf32>, tensor<?x4x?xf32>
  %0 = heddle.merge_attention (%u, %u) maxima(%m, %m) sums(%m, %m) : tensor<?x?x64xf32>, tensor<?x4x?xf32>
  // CHECK: %{{.*}}:3 = heddle.merge_attention (%{{.*}}) maxima(%{{.*}}) sums(%{{.*}}) results(unnormalized, log_sum_exp, sum) : tensor<2x4x5x16xf32>, tensor<2x4x5xf32>
  %1:3 = heddle.merge_attention (%o) maxima(%n) sums(%n) results(unnormalized, log_sum_exp, sum) : tensor<2x4x5x16xf32>, tensor<2x4x5xf32>
  return
}
