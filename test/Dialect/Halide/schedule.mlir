// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: halide.schedule @linear
halide.schedule @linear {
  // CHECK-NEXT: halide.split @y "m" into ("mo", "mi") by 12
  halide.split @y "m" into ("mo", "mi") by 12
  // CHECK-NEXT: halide.split @y update(1) "n" into ("no", "ni") by 32 tail(guard_with_if)
  halide.split @y update(1) "n" into ("no", "ni") by 32 tail(guard_with_if)
  // CHECK-NEXT: halide.fuse @y ("x", "y") into "t"
  halide.fuse @y ("x", "y") into "t"
  // CHECK-NEXT: halide.reorder @y update(0) ["ni", "mi", "k"]
  halide.reorder @y update(0) ["ni", "mi", "k"]
  // CHECK-NEXT: halide.vectorize @y "ni"
  halide.vectorize @y "ni"
  // CHECK-NEXT: halide.vectorize @y "ni" by 16 tail(round_up)
  halide.vectorize @y "ni" by 16 tail(round_up)
  // CHECK-NEXT: halide.unroll @y "mi"
  halide.unroll @y "mi"
  // CHECK-NEXT: halide.unroll @y "mi" by 4
  halide.unroll @y "mi" by 4
  // CHECK-NEXT: halide.parallel @y "no"
  halide.parallel @y "no"
  // CHECK-NEXT: halide.atomic @y update(0)
  halide.atomic @y update(0)
  // CHECK-NEXT: halide.allow_race_conditions @y
  halide.allow_race_conditions @y
  // CHECK-NEXT: halide.compute_at @acc @y "mo"
  halide.compute_at @acc @y "mo"
  // CHECK-NEXT: halide.store_at @acc @y "no"
  halide.store_at @acc @y "no"
  // CHECK-NEXT: halide.compute_root @scores
  halide.compute_root @scores
  // CHECK-NEXT: halide.store_in @acc register
  halide.store_in @acc register
  // CHECK-NEXT: halide.bound @y "n" 0 64
  halide.bound @y "n" 0 64
  // CHECK-NEXT: halide.bound_extent @y "n" 64
  halide.bound_extent @y "n" 64
  // CHECK-NEXT: halide.prefetch @y @w "k" 8
  halide.prefetch @y @w "k" 8
}
