// RUN: heddle-opt %s --heddle-to-schedule=target-cpu=x86-64-v4 | FileCheck %s

// Register tiles of 6 rows by 64 columns.
// CHECK-LABEL: halide.pipeline @scores
// CHECK: halide.split @[[Y:.*]] "d2" into ("panel", "lane") by 64
// CHECK: halide.split @[[Y]] "d1" into ("row_tile", "row") by 6
// CHECK: halide.parallel @[[Y]] "d0"
// CHECK: halide.compute_at @[[SUM:accumulator.*]] @[[Y]] "tile"
// CHECK: halide.store_in @[[SUM]] register
// CHECK: halide.reorder @[[SUM]] update(0) ["d2", "d1", "r0"]
func.func @scores(%a: tensor<12x512x64xf32>, %b: tensor<12x64x512xf32>) -> tensor<12x512x512xf32> {
  %y = heddle.matmul %a, %b : tensor<12x512x64xf32>, tensor<12x64x512xf32> -> tensor<12x512x512xf32>
  return %y : tensor<12x512x512xf32>
}

// Columns whose number is not known: whole tiles, if there are so many.
// CHECK-LABEL: halide.pipeline @dynamic
// CHECK: halide.specialize @[[Y:.*]] "n" ge 64
// CHECK: halide.split @[[Y]] "d1" into ("panel", "lane") by 64 tail(shift_inwards)
// CHECK: halide.specialize @[[Y]] "n" ge 16
// CHECK: halide.split @[[Y]] "d1" into ("panel", "lane") by 1
func.func @dynamic(%a: tensor<40x24xf32>, %b: tensor<24x?xf32> {heddle.sizes = ["n"]}) -> tensor<40x?xf32> {
  %y = heddle.matmul %a, %b : tensor<40x24xf32>, tensor<24x?xf32> -> tensor<40x?xf32>
  return %y : tensor<40x?xf32>
}

// Deep sums are made of blocks.
// CHECK-LABEL: halide.pipeline @deep
// CHECK: halide.update @block_sum(%{{.*}}, %{{.*}}, %depth_block) reduce(%r0 < 2048)
// CHECK: halide.update @accumulator(%{{.*}}, %{{.*}}) reduce(%depth_block < 2)
// CHECK-DAG: halide.compute_at @block_sum @accumulator "depth_block"
// CHECK-DAG: halide.store_in @block_sum register
func.func @deep(%a: tensor<40x4096xf32>, %b: tensor<4096x64xf32>) -> tensor<40x64xf32> {
  %y = heddle.matmul %a, %b : tensor<40x4096xf32>, tensor<4096x64xf32> -> tensor<40x64xf32>
  return %y : tensor<40x64xf32>
}

// Two sums have more registers than there are: rows take them from memory. Of
// rows that are not known, none begins under a condition.
// CHECK-LABEL: halide.pipeline @gated
// CHECK: halide.specialize @[[Y:.*]] "n" ge 2
// CHECK-NOT: halide.unroll @[[Y]] "row"
// CHECK: halide.compute_at @[[SUM:accumulator.*]] @[[Y]] "tile"
// CHECK-NOT: halide.unroll @[[SUM]] "d0"
// CHECK: halide.unroll @[[SUM]] update(0) "d0"
heddle.weight @gate = dense<0.5> : tensor<128x64xf32>
heddle.weight @up = dense<0.25> : tensor<128x64xf32>
func.func @gated(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x128xf32> {
  %a = heddle.weight_ref @gate : tensor<128x64xf32>
  %b = heddle.weight_ref @up : tensor<128x64xf32>
  %gate = heddle.linear %x, %a : tensor<?x64xf32>, tensor<128x64xf32>
  %up = heddle.linear %x, %b : tensor<?x64xf32>, tensor<128x64xf32>
  %y = arith.mulf %gate, %up : tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// One row, of more panels than a task is worth: tasks of several, which keep their loop's name.
// CHECK-LABEL: halide.pipeline @one_row
// CHECK: halide.split @[[Y:.*]] "panel" into ("task", "panel") by 4
// CHECK: halide.parallel @[[Y]] "task"
// CHECK: halide.compute_at @accumulator @[[Y]] "panel"
heddle.weight @wide = dense<0.5> : tensor<3072x128xf32>
func.func @one_row(%x: tensor<1x128xf32>) -> tensor<1x3072xf32> {
  %w = heddle.weight_ref @wide : tensor<3072x128xf32>
  %y = heddle.linear %x, %w : tensor<1x128xf32>, tensor<3072x128xf32>
  return %y : tensor<1x3072xf32>
}
