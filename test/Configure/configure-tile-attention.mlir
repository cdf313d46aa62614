// Attention over pairs that are packed has as many rows as a tile register, and values of as many
// channels as four of them hold, in whole vectors; others have vectors.

// RUN: heddlec %s --target-cpu=sapphirerapids --emit=kernels --quiet | FileCheck %s
// RUN: heddlec %s --target-cpu=znver5,+amx-tile,+amx-int8,+amx-bf16 --emit=kernels --quiet | FileCheck %s --check-prefix=BOTH

// CHECK: heddle.kernel @wide_attention
// CHECK-SAME: attention_tiles<rows = 16, chunk = 16, register_rows = 16, keys = 32, columns = 64, vector = 16>
// BOTH: heddle.kernel @wide_attention
// BOTH-SAME: register_rows = 16, keys = 32, columns = 64,
func.func @wide(%q: tensor<1x?x64xf32> {heddle.sizes = ["n"]}, %v: tensor<1x?x128xf32> {heddle.sizes = ["n"]}) -> tensor<1x?x128xf32> {
  %y = heddle.attention %q, %q, %v heads(1, kv = 1) products(bf16) : tensor<1x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x128xf32>
  return %y : tensor<1x?x128xf32>
}

// CHECK: heddle.kernel @thirds_attention
// CHECK-SAME: register_rows = 16, keys = 32, columns = 48,
// BOTH: heddle.kernel @thirds_attention
func.func @thirds(%q: tensor<1x?x64xf32> {heddle.sizes = ["n"]}, %v: tensor<1x?x96xf32> {heddle.sizes = ["n"]}) -> tensor<1x?x96xf32> {
  %y = heddle.attention %q, %q, %v heads(1, kv = 1) products(bf16) : tensor<1x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x96xf32>
  return %y : tensor<1x?x96xf32>
}

// Values of 40 channels, which a CPU with both instructions has in pairs.
// CHECK: heddle.kernel @narrow_attention
// CHECK-SAME: register_rows = 6,
// BOTH: heddle.kernel @narrow_attention
// BOTH-SAME: register_rows = 6,
func.func @narrow(%q: tensor<1x?x64xf32> {heddle.sizes = ["n"]}, %v: tensor<1x?x40xf32> {heddle.sizes = ["n"]}) -> tensor<1x?x40xf32> {
  %y = heddle.attention %q, %q, %v heads(1, kv = 1) products(bf16) : tensor<1x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x40xf32>
  return %y : tensor<1x?x40xf32>
}

// Fewer rows of a wide head fit the stack.
// CHECK: heddle.kernel @stack_attention
// CHECK-SAME: rows = 12, chunk = 16, register_rows = 6,
// BOTH: heddle.kernel @stack_attention
// BOTH-SAME: register_rows = 6,
func.func @stack(%q: tensor<1x?x64xf32> {heddle.sizes = ["n"]}, %v: tensor<1x?x704xf32> {heddle.sizes = ["n"]}) -> tensor<1x?x704xf32> {
  %y = heddle.attention %q, %q, %v heads(1, kv = 1) products(bf16) : tensor<1x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x704xf32>
  return %y : tensor<1x?x704xf32>
}
