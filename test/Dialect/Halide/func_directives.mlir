// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: halide.schedule @funcs
halide.schedule @funcs {
  // CHECK-NEXT: halide.compute_at @acc @y "mo"
  halide.compute_at @acc @y "mo"
  // CHECK-NEXT: halide.store_at @acc @y "no"
  halide.store_at @acc @y "no"
  // CHECK-NEXT: halide.compute_root @scores
  halide.compute_root @scores
  // CHECK-NEXT: halide.store_root @scores
  halide.store_root @scores
  // CHECK-NEXT: halide.store_in @acc register
  halide.store_in @acc register
  // CHECK-NEXT: halide.reorder_storage @acc ["m", "n"]
  halide.reorder_storage @acc ["m", "n"]
  // CHECK-NEXT: halide.align_storage @acc "n" 16
  halide.align_storage @acc "n" 16
  // CHECK-NEXT: halide.bound @y "n" 0 64
  halide.bound @y "n" 0 64
  // CHECK-NEXT: halide.bound @y "n" -4 64
  halide.bound @y "n" -4 64
  // CHECK-NEXT: halide.bound_extent @y "n" 64
  halide.bound_extent @y "n" 64
  // CHECK-NEXT: halide.align_bounds @y "n" 16{{$}}
  halide.align_bounds @y "n" 16
  // CHECK-NEXT: halide.align_bounds @y "n" 16, 4
  halide.align_bounds @y "n" 16, 4
}
