// Attention to parts of the keys, merged, with no dimension of batches and with several.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified heads_in_channels as a whole
// CHECK: verified no_batch as a whole
// CHECK: verified batches as a whole
// CHECK: verified heads_inside as a whole

func.func @heads_in_channels(%q: tensor<3x7x32xf32>, %k: tensor<3x40x16xf32>, %v: tensor<3x40x16xf32>,
    %l: tensor<3x9x16xf32>) -> (tensor<3x7x32xf32>, tensor<3x4x7xf32>) {
  %u0, %m0, %s0 = heddle.attention %q, %k, %v heads(4, kv = 2) results(unnormalized, maximum, sum)
      : tensor<3x7x32xf32>, tensor<3x40x16xf32>, tensor<3x40x16xf32>
  %u1, %m1, %s1 = heddle.attention %q, %l, %l heads(4, kv = 2) results(unnormalized, maximum, sum)
      : tensor<3x7x32xf32>, tensor<3x9x16xf32>, tensor<3x9x16xf32>
  %y, %e = heddle.merge_attention (%u0, %u1) maxima(%m0, %m1) sums(%s0, %s1) results(output, log_sum_exp)
      : tensor<3x7x32xf32>, tensor<3x4x7xf32>
  return %y, %e : tensor<3x7x32xf32>, tensor<3x4x7xf32>
}

func.func @no_batch(%q: tensor<7x32xf32>, %k: tensor<40x16xf32>, %l: tensor<9x16xf32>) -> tensor<7x32xf32> {
  %u0, %m0, %s0 = heddle.attention %q, %k, %k heads(4, kv = 2) layout(length, channel)
      results(unnormalized, maximum, sum) : tensor<7x32xf32>, tensor<40x16xf32>, tensor<40x16xf32>
  %u1, %m1, %s1 = heddle.attention %q, %l, %l heads(4, kv = 2) layout(length, channel)
      results(unnormalized, maximum, sum) : tensor<7x32xf32>, tensor<9x16xf32>, tensor<9x16xf32>
  %y = heddle.merge_attention (%u0, %u1) maxima(%m0, %m1) sums(%s0, %s1) : tensor<7x32xf32>, tensor<4x7xf32>
  return %y : tensor<7x32xf32>
}

func.func @batches(%q: tensor<2x3x4x7x8xf32>, %k: tensor<2x3x4x33x8xf32>, %l: tensor<2x3x4x5x8xf32>)
    -> tensor<2x3x4x7x8xf32> {
  %u0, %m0, %s0 = heddle.attention %q, %k, %k heads(4, kv = 4) layout(batch, batch, head, length, channel)
      results(unnormalized, maximum, sum) : tensor<2x3x4x7x8xf32>, tensor<2x3x4x33x8xf32>, tensor<2x3x4x33x8xf32>
  %u1, %m1, %s1 = heddle.attention %q, %l, %l heads(4, kv = 4) layout(batch, batch, head, length, channel)
      results(unnormalized, maximum, sum) : tensor<2x3x4x7x8xf32>, tensor<2x3x4x5x8xf32>, tensor<2x3x4x5x8xf32>
  %y = heddle.merge_attention (%u0, %u1) maxima(%m0, %m1) sums(%s0, %s1)
      : tensor<2x3x4x7x8xf32>, tensor<2x3x4x7xf32>
  return %y : tensor<2x3x4x7x8xf32>
}

// As many heads as queries, which the layout alone tells apart.
func.func @heads_inside(%q: tensor<3x4x4x8xf32>, %k: tensor<3x33x4x8xf32>, %l: tensor<3x5x4x8xf32>)
    -> (tensor<3x4x4x8xf32>, tensor<3x4x4xf32>) {
  %u0, %m0, %s0 = heddle.attention %q, %k, %k heads(4, kv = 4) layout(batch, length, head, channel)
      results(unnormalized, maximum, sum) : tensor<3x4x4x8xf32>, tensor<3x33x4x8xf32>, tensor<3x33x4x8xf32>
  %u1, %m1, %s1 = heddle.attention %q, %l, %l heads(4, kv = 4) layout(batch, length, head, channel)
      results(unnormalized, maximum, sum) : tensor<3x4x4x8xf32>, tensor<3x5x4x8xf32>, tensor<3x5x4x8xf32>
  %y, %e = heddle.merge_attention (%u0, %u1) maxima(%m0, %m1) sums(%s0, %s1)
      layout(batch, length, head, channel) results(output, log_sum_exp)
      : tensor<3x4x4x8xf32>, tensor<3x4x4xf32>
  return %y, %e : tensor<3x4x4x8xf32>, tensor<3x4x4xf32>
}
