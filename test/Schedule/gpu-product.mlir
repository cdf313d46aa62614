// RUN: heddle-opt %s --heddle-to-schedule="target-cpu=x86-64-v4 device=cuda:sm_90" | FileCheck %s

// A tile of 128 by 128 by 256 threads, each of which has 8 rows of two groups of 4 columns;
// or, of fewer rows than 8, one row of a panel of 16 columns.
// CHECK-LABEL: halide.pipeline @linear
// CHECK: halide.specialize @[[Y:.*]] "rows" ge 8
// CHECK: halide.split @[[Y]] "d1" into ("panel", "column") by 128
// CHECK: halide.split @[[Y]] "d0" into ("block", "row_of_block") by 128 tail(guard_with_if)
// CHECK: halide.split @[[Y]] "column" into ("group", "strip") by 64
// CHECK: halide.split @[[Y]] "strip" into ("thread_column", "lane") by 4
// CHECK: halide.split @[[Y]] "row_of_block" into ("thread_row", "row") by 8
// CHECK: halide.split @[[Y]] "d1" into ("panel", "strip") by 16
// CHECK-DAG: halide.compute_at @tile_sum @[[Y]] "panel"
// CHECK-DAG: halide.store_in @tile_sum register
// CHECK-DAG: halide.reorder @tile_sum update(0) ["lane", "group", "row", "term", "thread_column", "thread_row", "depth_tile"]
// CHECK-DAG: halide.compute_at @row_tile @tile_sum "depth_tile"
// CHECK-DAG: halide.store_in @row_tile gpu_shared
// Terms of a row are written to other banks than the row's.
// CHECK-DAG: halide.align_storage @row_tile "d0" 132
// CHECK-DAG: halide.compute_at @column_tile @tile_sum "depth_tile"
// CHECK-DAG: halide.compute_at @slices @[[Y]] "panel"
// CHECK-DAG: halide.bound_extent @slices "slice" 64
// CHECK-DAG: halide.compute_at @slice_sum @slices "thread_column"
// CHECK-DAG: halide.compute_at @sum_of_slices @[[Y]] "thread_column"
heddle.weight @w from "w" : tensor<256x512xf32>
func.func @linear(%x: tensor<?x512xf32> {heddle.sizes = ["rows"]}) -> tensor<?x256xf32> {
  %w = heddle.weight_ref @w : tensor<256x512xf32>
  %y = heddle.linear %x, %w : tensor<?x512xf32>, tensor<256x512xf32>
  return %y : tensor<?x256xf32>
}

// Two sums have half a tile each.
// CHECK-LABEL: halide.pipeline @gated
// CHECK-COUNT-2: halide.func @tile_sum
// CHECK: halide.split @{{.*}} "d1" into ("panel", "column") by 64
// CHECK: halide.split @{{.*}} "column" into ("group", "strip") by 64
heddle.weight @v from "v" : tensor<256x512xf32>
func.func @gated(%x: tensor<40x512xf32>) -> tensor<40x256xf32> {
  %w = heddle.weight_ref @w : tensor<256x512xf32>
  %v = heddle.weight_ref @v : tensor<256x512xf32>
  %a = heddle.linear %x, %w : tensor<40x512xf32>, tensor<256x512xf32>
  %b = heddle.linear %x, %v : tensor<40x512xf32>, tensor<256x512xf32>
  %y = arith.mulf %a, %b : tensor<40x256xf32>
  return %y : tensor<40x256xf32>
}

// Deep sums are made of blocks of tiles, whose parts are registers, too.
// CHECK-LABEL: halide.pipeline @deep
// CHECK: halide.update @tile_block_sum(%{{.*}}, %{{.*}}, %depth_block) reduce(%term < 16, %depth_tile < 128)
// CHECK: halide.update @tile_sum(%{{.*}}, %{{.*}}) reduce(%depth_block < 2)
// CHECK-DAG: halide.compute_at @tile_block_sum @tile_sum "depth_block"
// CHECK-DAG: halide.store_in @tile_block_sum register
func.func @deep(%a: tensor<40x4096xf32>, %b: tensor<4096x64xf32>) -> tensor<40x64xf32> {
  %y = heddle.matmul %a, %b : tensor<40x4096xf32>, tensor<4096x64xf32> -> tensor<40x64xf32>
  return %y : tensor<40x64xf32>
}
