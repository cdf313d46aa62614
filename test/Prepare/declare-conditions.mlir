// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-split-phases --heddle-declare-conditions | FileCheck %s

// What sizes tell by themselves is not there, and everything else is once.
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME: heddle.broadcasts = [#heddle.broadcast<"a" to "min(b, min(1, a)) * max(a, b)">, #heddle.broadcast<"b" to "min(b, min(1, a)) * max(a, b)">, #heddle.broadcast<"b" to "5">]
func.func @pairs(%x: tensor<?x?xf32> {heddle.sizes = ["n", "a"]}, %y: tensor<?xf32> {heddle.sizes = ["b"]}, %z: tensor<5xf32>) {
  %u:2 = heddle.broadcast_tensors %x, %y : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %v:2 = heddle.broadcast_tensors %y, %u#0 : tensor<?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %w:2 = heddle.broadcast_tensors %y, %z : tensor<?xf32>, tensor<5xf32> -> tensor<5xf32>, tensor<5xf32>
  return
}

// CHECK-LABEL: func.func @none(
// CHECK-NOT: heddle.broadcasts
// CHECK: return
func.func @none(%x: tensor<?x1xf32> {heddle.sizes = ["n"]}, %y: tensor<1x?xf32> {heddle.sizes = ["m"]}) {
  %u:2 = heddle.broadcast_tensors %x, %y : tensor<?x1xf32>, tensor<1x?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %v = heddle.broadcast %x to ["k", "n", "m"] : tensor<?x1xf32> -> tensor<?x?x?xf32>
  return
}

// In decode a size may be 1 alone.
// CHECK-LABEL: func.func @prefill(
// CHECK-SAME: heddle.broadcasts = [#heddle.broadcast<"a" to "length">]
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: heddle.broadcasts = [#heddle.broadcast<"a" to "1">]
func.func @forward(%x: tensor<?x?xf32> {heddle.sizes = ["batch", "length"]}, %y: tensor<?xf32> {heddle.sizes = ["a"]})
    -> tensor<?x?xf32> attributes {heddle.decoder = "length"} {
  %v = heddle.broadcast %y to ["batch", "length"] : tensor<?xf32> -> tensor<?x?xf32>
  %z = arith.addf %x, %v : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// Sizes of parts that calls have to look at, whoever reads them.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: heddle.counts = [#heddle.size<"n - 4">, #heddle.size<"-k + n">]
func.func @parts(%x: tensor<?xf32> {heddle.sizes = ["n"]}, %y: tensor<?xf32> {heddle.sizes = ["k"]}) -> tensor<4xf32> {
  %u:2 = heddle.split %x axis(0) sizes [4, "n - 4"] : tensor<?xf32> -> tensor<4xf32>, tensor<?xf32>
  %v:2 = heddle.split %x axis(0) sizes ["k", "n - k"] : tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
  return %u#0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @parts_that_fit(
// CHECK-NOT: heddle.counts
// CHECK: return
func.func @parts_that_fit(%x: tensor<?xf32> {heddle.sizes = ["n"]}) attributes {heddle.symbols = [#heddle.symbol<"n", 4 to 9>]} {
  %u:2 = heddle.split %x axis(0) sizes [4, "n - 4"] : tensor<?xf32> -> tensor<4xf32>, tensor<?xf32>
  return
}
