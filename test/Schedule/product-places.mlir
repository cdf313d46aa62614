// RUN: heddle-opt %s --heddle-to-schedule=target-cpu=icelake-server | FileCheck %s

heddle.weight @w = dense<0.5> : tensor<64x96xf32>
heddle.weight @odd = dense<0.5> : tensor<64x13xf32>
heddle.weight @halves = dense<5> : tensor<64x96xui4>
heddle.weight @bytes = dense<5> : tensor<64x192xui8>
heddle.weight @groups = dense<0.5> : tensor<64x3xf32>
heddle.weight @rows = dense<0.5> : tensor<64x1xf32>

// One row reads a panel at four places of the depth in turn.
// CHECK-LABEL: halide.pipeline @one_row
// CHECK-NOT: halide.specialize
// CHECK: halide.split @accumulator update(0) "r0" into ("depth_place", "depth_step") by 24
// CHECK: halide.reorder @accumulator update(0) ["d1", "depth_place", "depth_step"]
// CHECK: halide.unroll @accumulator update(0) "depth_place"
func.func @one_row(%x: tensor<1x96xf32>) -> tensor<1x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x96xf32>
  %y = heddle.linear %x, %w : tensor<1x96xf32>, tensor<64x96xf32>
  return %y : tensor<1x64xf32>
}

// Where the number of rows is not known, only one row does.
// CHECK-LABEL: halide.pipeline @any_rows
// CHECK: halide.specialize @accumulator update(0) "n" ge 2 {
// CHECK-NOT: depth_place
// CHECK: }
// CHECK: halide.split @accumulator update(0) "r0" into ("depth_place", "depth_step") by 24
func.func @any_rows(%x: tensor<?x96xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x96xf32>
  %y = heddle.linear %x, %w : tensor<?x96xf32>, tensor<64x96xf32>
  return %y : tensor<?x64xf32>
}

// Several rows never do, and a depth that has no such parts does not.
// CHECK-LABEL: halide.pipeline @two_rows
// CHECK-NOT: depth_place
// CHECK-LABEL: halide.pipeline @odd_depth
// CHECK-NOT: depth_place
// CHECK-LABEL: halide.pipeline @short_blocks
func.func @two_rows(%x: tensor<2x96xf32>) -> tensor<2x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x96xf32>
  %y = heddle.linear %x, %w : tensor<2x96xf32>, tensor<64x96xf32>
  return %y : tensor<2x64xf32>
}
func.func @odd_depth(%x: tensor<1x13xf32>) -> tensor<1x64xf32> {
  %w = heddle.weight_ref @odd : tensor<64x13xf32>
  %y = heddle.linear %x, %w : tensor<1x13xf32>, tensor<64x13xf32>
  return %y : tensor<1x64xf32>
}

// Short blocks of integers are read whole, here at three places; their sums are at one loop for any
// number of rows.
// CHECK: halide.specialize @accumulator update(0) "n" ge 2 {
// CHECK-NEXT: halide.rename @accumulator update(0) "depth_block" to "depth_place"
// CHECK: halide.split @accumulator update(0) "depth_block" into ("depth_place", "depth_step") by 1
// CHECK: halide.compute_at @block_sum @accumulator "depth_place"
// CHECK-NOT: @block_sum update(0) {{.*}} "depth_place"
// CHECK-LABEL: halide.pipeline @long_block
func.func @short_blocks(%q: tensor<?x96xi8> {heddle.sizes = ["n"]},
    %s: tensor<?x3xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %c = heddle.weight_ref @halves : tensor<64x96xui4>
  %t = heddle.weight_ref @groups : tensor<64x3xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x96xi8>, tensor<?x3xf32> -> tensor<?x96xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<64x96xui4>, tensor<64x3xf32> -> tensor<64x96xf32>
  %y = heddle.linear %d, %w : tensor<?x96xf32>, tensor<64x96xf32>
  return %y : tensor<?x64xf32>
}

// One block of integers is read at several places itself.
// CHECK: halide.compute_at @block_sum @accumulator "depth_block"
// CHECK: halide.specialize @block_sum update(0) "n" ge 2
// CHECK: halide.split @block_sum update(0) "place" into ("depth_place", "depth_step") by 12
func.func @long_block(%q: tensor<?x192xi8> {heddle.sizes = ["n"]},
    %s: tensor<?x1xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %c = heddle.weight_ref @bytes : tensor<64x192xui8>
  %t = heddle.weight_ref @rows : tensor<64x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x192xi8>, tensor<?x1xf32> -> tensor<?x192xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<64x192xui8>, tensor<64x1xf32> -> tensor<64x192xf32>
  %y = heddle.linear %d, %w : tensor<?x192xf32>, tensor<64x192xf32>
  return %y : tensor<?x64xf32>
}
