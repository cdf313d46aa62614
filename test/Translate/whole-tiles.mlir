// RUN: heddlec %s --arithmetic=int16 --target-cpu=x86-64-v4 --emit=stmt --quiet -o %t
// RUN: FileCheck %s < %t

// Between the blocks of integers, a whole tile asks for none of its rows; the last one does.
// CHECK: external func forward_linear_par_for
// CHECK: if (accumulator.s0.d0.loop_extent.s >= 8) {
// CHECK-NOT: 7 < accumulator
// CHECK: consume block_sum
// CHECK-NOT: 7 < accumulator
// CHECK: } else {
// CHECK: if (7 < accumulator.s0.d0.loop_extent.s) {
heddle.weight @codes from "codes" : tensor<96x64xi8>
heddle.weight @scales from "scales" : tensor<96x4xf32>
func.func @forward(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %c = heddle.weight_ref @codes : tensor<96x64xi8>
  %s = heddle.weight_ref @scales : tensor<96x4xf32>
  %w = heddle.dequantize %c, %s axis(1) : tensor<96x64xi8>, tensor<96x4xf32> -> tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x96xf32>
}
