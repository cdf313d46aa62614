// Attention multiplies pairs of bf16 in tile registers: scores, a block of keys at a time, whose sums begin
// at 0, and weighed values, which are added to what earlier blocks gave. Blocks of which some row
// drops a key are among them if their values are finite, and otherwise done in vectors.

// RUN: heddlec %s --target-cpu=sapphirerapids --emit=stmt --quiet | FileCheck %s
// CHECK-LABEL: module name=causal_attention
// CHECK: produce score_sum {
// CHECK-NEXT: heddle_tile_sums_bf16(score_sum, (int64)0, (int64)128, query_tile, (int64)0, (int64)160, {{.*}}, (int64)128, 16, 2, 40)
// CHECK: produce value_sum {
// CHECK: for (value_sum.s1.
// CHECK: heddle_tile_add_bf16(value_sum, (int64)0, (int64)192, weights, {{.*}}, (int64)64, {{.*}}, (int64)192, 16, 3, 16)
// CHECK: finite_blocks
// CHECK: for (value_sum.s2.
// CHECK: heddle_tile_add_bf16(value_sum,
// CHECK: finite_blocks
// CHECK: for (value_sum.s3.
// CHECK-NOT: heddle_tile
// CHECK: select(

// The registers of both have one shape, that of scores whose last places do not fill one.
// RUN: heddlec %s --target-cpu=sapphirerapids --emit=asm --quiet | FileCheck %s --check-prefix=ASM
// ASM-LABEL: causal_attention_task0:
// ASM: tdpbf16ps %tmm7, %tmm6, %tmm
// ASM: tdpbf16ps %tmm5, %tmm4, %tmm

// Values whose channels are no whole vectors have no pairs.
// RUN: sed 's/96/80/g' %s > %t.mlir
// RUN: heddlec %t.mlir --target-cpu=sapphirerapids --emit=stmt --quiet | FileCheck %s --check-prefix=NONE
// NONE-NOT: heddle_tile

func.func @causal(%q: tensor<1x?x160xf32> {heddle.sizes = ["n"]}, %k: tensor<1x?x160xf32> {heddle.sizes = ["n"]},
    %v: tensor<1x?x96xf32> {heddle.sizes = ["n"]}) -> tensor<1x?x96xf32> {
  %m = heddle.mask.causal align(top_left)
  %y = heddle.attention %q, %k, %v mask(%m) heads(2, kv = 2) products(bf16)
      : tensor<1x?x160xf32>, tensor<1x?x160xf32>, tensor<1x?x96xf32>
  return %y : tensor<1x?x96xf32>
}
