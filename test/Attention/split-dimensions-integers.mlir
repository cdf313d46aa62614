// An exponential, reductions and products are no attention where the products are of integers and
// scales: columns of the feed-forward layer's contractions stay in panels of weights.
// RUN: heddlec %s --arithmetic=int16 --emit=kernels --quiet | FileCheck %s --implicit-check-not=pack
// CHECK: heddle.kernel @f_
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 32>

heddle.weight @up from "up" : tensor<512x512xui4>
heddle.weight @down from "down" : tensor<512x512xui4>
heddle.weight @scales from "scales" : tensor<512x16xf16>
heddle.weight @minimums from "minimums" : tensor<512x16xf16>

func.func @f(%x: tensor<?x512xf32> {heddle.sizes = ["n"]}) -> tensor<?x512xf32> {
  %up = heddle.weight_ref @up : tensor<512x512xui4>
  %down = heddle.weight_ref @down : tensor<512x512xui4>
  %s = heddle.weight_ref @scales : tensor<512x16xf16>
  %m = heddle.weight_ref @minimums : tensor<512x16xf16>
  %v = heddle.dequantize %up, %s minimums(%m : tensor<512x16xf16>) axis(1) : tensor<512x512xui4>, tensor<512x16xf16> -> tensor<512x512xf32>
  %w = heddle.dequantize %down, %s minimums(%m : tensor<512x16xf16>) axis(1) : tensor<512x512xui4>, tensor<512x16xf16> -> tensor<512x512xf32>
  %y = heddle.feed_forward silu %x, %v, %w : tensor<?x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
  %z = arith.addf %x, %y : tensor<?x512xf32>
  %h = heddle.linear %z, %v : tensor<?x512xf32>, tensor<512x512xf32>
  return %h : tensor<?x512xf32>
}
