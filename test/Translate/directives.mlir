// What each directive makes of Halide's loops, where the schedules of the compiler's own
// do not show it.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddlec static.mlir --schedule=tile.mlir --emit=stmt -o - | FileCheck tile.mlir
// RUN: heddlec static.mlir --schedule=rename.mlir --emit=stmt -o - | FileCheck rename.mlir
// RUN: heddlec static.mlir --schedule=storage.mlir --emit=stmt -o - | FileCheck storage.mlir
// RUN: heddlec static.mlir --schedule=align.mlir --emit=stmt -o - | FileCheck align.mlir
// RUN: heddlec static.mlir --schedule=with.mlir --emit=stmt -o - | FileCheck with.mlir
// RUN: heddlec dynamic.mlir --schedule=specialize.mlir --emit=stmt -o - | FileCheck specialize.mlir

//--- static.mlir
heddle.weight @v from "v" : tensor<96x64xf32>
heddle.weight @w from "w" : tensor<96x64xf32>
func.func @f(%x: tensor<24x64xf32>) -> tensor<24x96xf32> {
  %v = heddle.weight_ref @v : tensor<96x64xf32>
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %0 = heddle.linear %x, %v : tensor<24x64xf32>, tensor<96x64xf32>
  %1 = heddle.linear %x, %w : tensor<24x64xf32>, tensor<96x64xf32>
  %2 = arith.mulf %0, %1 : tensor<24x96xf32>
  return %2 : tensor<24x96xf32>
}

//--- tile.mlir
// CHECK: for (generic.s0.d0.mo, 0,
// CHECK: for (generic.s0.d1.co, 0, 3) {
// CHECK: for (generic.s0.d0.mi, 0, 12) {
// CHECK: for (generic.s0.d1.ci, 0, 32) {
halide.schedule @f_linear2_mulf {
  halide.tile @generic ["d1", "d0"] into (["co", "mo"], ["ci", "mi"]) by [32, 12]
  halide.compute_at @accumulator @generic "co"
  halide.compute_at @accumulator_1 @generic "co"
}

//--- rename.mlir
// CHECK-NOT: halide_do_par_for
// CHECK: for (generic.s0.d0.row, 0,
// CHECK-NOT: halide_do_par_for
halide.schedule @f_linear2_mulf {
  halide.parallel @generic "d0"
  halide.rename @generic "d0" to "row"
  halide.serial @generic "row"
  halide.compute_at @accumulator @generic "row"
  halide.compute_at @accumulator_1 @generic "row"
}

//--- storage.mlir
// CHECK: accumulator[(int64(accumulator.s0.d1)*{{.*}}) + int64(accumulator.s0.d0)] =
// CHECK: allocate accumulator_1[float32 * 128 * 1]
// CHECK: for (generic.s0.d0, 0,
// CHECK-NOT: allocate
halide.schedule @f_linear2_mulf {
  halide.compute_root @accumulator
  halide.reorder_storage @accumulator ["d0", "d1"]
  halide.compute_at @accumulator_1 @generic "d0"
  halide.store_root @accumulator_1
  halide.align_storage @accumulator_1 "d1" 64
}

//--- align.mlir
// 24 rows, and from 4 before the first row on.
// CHECK: allocate accumulator[float32 * 96 * 32]
// CHECK: allocate accumulator_1[float32 * 96 * 32]
halide.schedule @f_linear2_mulf {
  halide.compute_root @accumulator
  halide.align_bounds @accumulator "d0" 16
  halide.compute_root @accumulator_1
  halide.align_bounds @accumulator_1 "d0" 16, 12
}

//--- with.mlir
// CHECK: for (accumulator.s0.fused.d0, 0,
// CHECK: for (accumulator.s0.d1, 0, 96) {
// CHECK: for (accumulator_1.s0.d1, 0, 96) {
// CHECK: for (accumulator.s1.{{.*}}d0, 0,
// CHECK: for (accumulator.s1.d1, 0, 96) {
// CHECK: for (accumulator_1.s1.d1, 0, 96) {
halide.schedule @f_linear2_mulf {
  halide.compute_root @accumulator
  halide.compute_root @accumulator_1
  halide.compute_with @accumulator_1 @accumulator "d0"
  halide.compute_with @accumulator_1 update(0) @accumulator update(0) "d0" align(start)
}

//--- dynamic.mlir
heddle.weight @w from "w" : tensor<96x64xf32>
func.func @f(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x?x96xf32>
}

//--- specialize.mlir
// One row, tiles of 8 rows, and the rest.
// CHECK: if (size0 == 1) {
// CHECK: for (result.s0.d1.d1, 0, 6) {
// CHECK: } else if (8 <= size0) {
// CHECK: if ((size0 % 8) == 0) {
// CHECK: for (result.s0.d0.tile, 0,
// CHECK: } else {
// CHECK: for (result.s0.d0, 0, size0) {
halide.schedule @f_linear {
  halide.specialize @result "batch * length" eq 1 {
    halide.vectorize @result "d1" by 16
  }
  halide.specialize @result "batch * length" ge 8 {
    halide.specialize @result "batch * length" multiple_of 8 {
      halide.split @result "d0" into ("tile", "row") by 8
      halide.unroll @result "row"
    }
  }
  halide.compute_at @accumulator @result "d1"
}
