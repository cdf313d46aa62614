// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<?x?x64xf32>, %kv: tensor<?x?x32xf32>, %m: !heddle.mask)
    -> tensor<?x?x64xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}}) heads(8, kv = 4) scale(3.500000e-01)
  // CHECK-SAME: : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %0 = heddle.attention %q, %kv, %kv mask(%m) heads(8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0 : tensor<?x?x64xf32>
}

// Heads of 8 channels for scores, of 16 for values.
// CHECK-LABEL: func.func @attention_wide_values
func.func @attention_wide_values(%q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>,
    %v: tensor<2x?x128xf32>) -> tensor<2x?x128xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 8)
  %0 = heddle.attention %q, %k, %v heads(8, kv = 8) scale(0.35)
     : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x128xf32>
  return %0 : tensor<2x?x128xf32>
}

// CHECK-LABEL: func.func @attention_heads_outside
func.func @attention_heads_outside(%q: tensor<?x8x?x16xf32>, %k: tensor<?x4x?x16xf32>,
    %v: tensor<?x4x?x24xf32>) -> tensor<?x8x?x24xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 4)
  // CHECK-SAME: : tensor<?x8x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x8x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>
  return %0 : tensor<?x8x?x24xf32>
}

// CHECK-LABEL: func.func @attention_results
func.func @attention_results(%q: tensor<2x?x64xf32>, %k: tensor<2x7x64xf32>,
    %v: tensor<2x7x128xf32>) -> tensor<2x8x?x7xf32> {
  // CHECK: %{{.*}}:3 = heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 8) results(output, log_sum_exp, weights) :
  %o, %l, %w = heddle.attention %q, %k, %v heads(8, kv = 8) results(output, log_sum_exp, weights)
     : tensor<2x?x64xf32>, tensor<2x7x64xf32>, tensor<2x7x128xf32>
  %0 = arith.addf %o, %o : tensor<2x?x128xf32>
  %1 = arith.addf %l, %l : tensor<2x8x?xf32>
  return %w : tensor<2x8x?x7xf32>
}

// CHECK-LABEL: func.func @attention_scores
func.func @attention_scores(%q: tensor<?x?x64xf32>, %sinks: tensor<8xf32>, %bias: tensor<8x?x?xf32>) {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} sinks(%{{.*}} : tensor<8xf32>) heads(8, kv = 8) score(%{{.*}} : tensor<8x?x?xf32>) {
  // CHECK-NEXT: ^bb0(%[[SCORES:.*]]: tensor<?x8x?x?xf32>, %{{.*}}: tensor<8x?x?xf32>):
  // CHECK-NEXT: %[[CHANGED:.*]] = math.tanh %[[SCORES]] : tensor<?x8x?x?xf32>
  // CHECK-NEXT: heddle.yield %[[CHANGED]] : tensor<?x8x?x?xf32>
  // CHECK-NEXT: } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %o = heddle.attention %q, %q, %q sinks(%sinks : tensor<8xf32>) heads(8, kv = 8)
      score(%bias : tensor<8x?x?xf32>) {
    ^bb0(%s: tensor<?x8x?x?xf32>, %b: tensor<8x?x?xf32>):
      %0 = math.tanh %s : tensor<?x8x?x?xf32>
      heddle.yield %0 : tensor<?x8x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_pairs
func.func @attention_pairs(%q: tensor<2x?x64xf32>, %k: tensor<2x8x?x4x64xbf16>, %v: tensor<2x8x?x16x16xbf16>) {
  // CHECK: packed(%{{.*}}, %{{.*}} : tensor<2x8x?x4x64xbf16>, tensor<2x8x?x16x16xbf16>) heads(8, kv = 8) products(bf16) :
  %o = heddle.attention %q, %q, %q packed(%k, %v : tensor<2x8x?x4x64xbf16>, tensor<2x8x?x16x16xbf16>)
      heads(8, kv = 8) products(bf16) : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_packed
func.func @attention_packed(%q: tensor<2x?x64xf32>, %packed: tensor<2x4x?x8x32xf32>) {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} packed(%{{.*}} : tensor<2x4x?x8x32xf32>) heads(8, kv = 8)
  %o = heddle.attention %q, %q, %q packed(%packed : tensor<2x4x?x8x32xf32>) heads(8, kv = 8)
     : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_layouts
func.func @attention_layouts(%q: tensor<2x3x?x8x16xbf16>, %k: tensor<2x3x?x4x16xf16>,
    %v: tensor<2x3x?x4x24xf32>) -> (tensor<8x?x2x3x24xbf16>, tensor<2x3x8x?xf32>) {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 4) layout(batch, batch, length, head, channel) output_layout(head, length, batch, batch, channel) results(output, sum)
  %0, %1 = heddle.attention %q, %k, %v heads(8, kv = 4) layout(batch, batch, length, head, channel)
     output_layout(head, length, batch, batch, channel) results(output, sum)
     : tensor<2x3x?x8x16xbf16>, tensor<2x3x?x4x16xf16>, tensor<2x3x?x4x24xf32>
  return %0, %1 : tensor<8x?x2x3x24xbf16>, tensor<2x3x8x?xf32>
}

// Operands may differ in how their heads lie.
// CHECK-LABEL: func.func @attention_mixed
func.func @attention_mixed(%q: tensor<?x?x64xf32>, %k: tensor<?x8x?x8xf32>) -> tensor<?x?x64xf32> {
  %0 = heddle.attention %q, %k, %k heads(8, kv = 8)
     : tensor<?x?x64xf32>, tensor<?x8x?x8xf32>, tensor<?x8x?x8xf32>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @attention_regions
func.func @attention_regions(%q: tensor<2x?x64xf32>, %w: tensor<8xf32>, %f: tensor<?xf32>) -> tensor<2x8x?xf32> {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 8) normalize(sum) results(column_sums) term(%{{.*}} : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%[[Q:.*]]: tensor<2x8x?x?x8xf32>, %{{.*}}: tensor<2x8x?x?x8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK-NEXT: heddle.yield %[[Q]]
  // CHECK-NEXT: } factors(%{{.*}} : tensor<?xf32>) {
  // CHECK-NEXT: ^bb0(%[[ONES:.*]]: tensor<2x8x?x?xf32>, %{{.*}}: tensor<?xf32>):
  // CHECK-NEXT: heddle.yield %[[ONES]]
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) normalize(sum) results(column_sums)
      term(%w : tensor<8xf32>) {
      ^bb0(%a: tensor<2x8x?x?x8xf32>, %b: tensor<2x8x?x?x8xf32>, %c: tensor<8xf32>):
        heddle.yield %a : tensor<2x8x?x?x8xf32>
      } factors(%f : tensor<?xf32>) {
      ^bb0(%a: tensor<2x8x?x?xf32>, %b: tensor<?xf32>):
        heddle.yield %a : tensor<2x8x?x?xf32>
      } : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return %0 : tensor<2x8x?xf32>
}

// CHECK-LABEL: func.func @attention_splits
func.func @attention_splits(%q: tensor<2x?x64xf32>, %k: tensor<2x7x64xf32>)
    -> (tensor<3x2x?x64xf32>, tensor<3x2x8x?xf32>) {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(8, kv = 8) results(unnormalized, sum) splits(3) :
  %u, %s = heddle.attention %q, %k, %k heads(8, kv = 8) results(unnormalized, sum) splits(3)
     : tensor<2x?x64xf32>, tensor<2x7x64xf32>, tensor<2x7x64xf32>
  return %u, %s : tensor<3x2x?x64xf32>, tensor<3x2x8x?xf32>
}

// CHECK-LABEL: func.func @attention_double
func.func @attention_double(%q: tensor<?x?x64xf64>, %sinks: tensor<8xf64>) {
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} sinks(%{{.*}} : tensor<8xf64>) heads(8, kv = 8) results(output, log_sum_exp)
  %o:2 = heddle.attention %q, %q, %q sinks(%sinks : tensor<8xf64>) heads(8, kv = 8) results(output, log_sum_exp)
     : tensor<?x?x64xf64>, tensor<?x?x64xf64>, tensor<?x?x64xf64>
  %s = arith.addf %o#1, %o#1 : tensor<?x8x?xf64>
  return
}
