// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: halide.schedule @nest
halide.schedule @nest {
  // CHECK-NEXT: halide.split @y "m" into ("mo", "mi") by 12{{$}}
  halide.split @y "m" into ("mo", "mi") by 12
  // CHECK-NEXT: halide.split @y update(1) "n" into ("no", "ni") by 32 tail(guard_with_if)
  halide.split @y update(1) "n" into ("no", "ni") by 32 tail(guard_with_if)
  // CHECK-NEXT: halide.split @y "n" into ("n", "ni") by 32 tail(shift_inwards)
  halide.split @y "n" into ("n", "ni") by 32 tail(shift_inwards)
  // CHECK-NEXT: halide.fuse @y ("x", "y") into "t"
  halide.fuse @y ("x", "y") into "t"
  // CHECK-NEXT: halide.fuse @y update(0) ("x", "y") into "x"
  halide.fuse @y update(0) ("x", "y") into "x"
  // CHECK-NEXT: halide.tile @y ["x", "y"] into (["xo", "yo"], ["xi", "yi"]) by [8, 4]{{$}}
  halide.tile @y ["x", "y"] into (["xo", "yo"], ["xi", "yi"]) by [8, 4]
  // CHECK-NEXT: halide.tile @y update(0) ["x"] into (["xo"], ["xi"]) by [8] tail(round_up)
  halide.tile @y update(0) ["x"] into (["xo"], ["xi"]) by [8] tail(round_up)
  // CHECK-NEXT: halide.reorder @y update(0) ["ni", "mi", "k"]
  halide.reorder @y update(0) ["ni", "mi", "k"]
  // CHECK-NEXT: halide.rename @y "x" to "column"
  halide.rename @y "x" to "column"
}

// CHECK-LABEL: halide.schedule @loops
halide.schedule @loops {
  // CHECK-NEXT: halide.serial @y "n"
  halide.serial @y "n"
  // CHECK-NEXT: halide.vectorize @y "ni"{{$}}
  halide.vectorize @y "ni"
  // CHECK-NEXT: halide.vectorize @y "ni" by 16 tail(round_up)
  halide.vectorize @y "ni" by 16 tail(round_up)
  // CHECK-NEXT: halide.unroll @y "mi"{{$}}
  halide.unroll @y "mi"
  // CHECK-NEXT: halide.unroll @y "mi" by 4
  halide.unroll @y "mi" by 4
  // CHECK-NEXT: halide.parallel @y "no"
  halide.parallel @y "no"
  // CHECK-NEXT: halide.atomic @y update(0)
  halide.atomic @y update(0)
  // CHECK-NEXT: halide.allow_race_conditions @y
  halide.allow_race_conditions @y
  // CHECK-NEXT: halide.compute_with @z @y "no"{{$}}
  halide.compute_with @z @y "no"
  // CHECK-NEXT: halide.compute_with @z update(0) @y update(1) "no" align(start)
  halide.compute_with @z update(0) @y update(1) "no" align(start)
  // CHECK-NEXT: halide.prefetch @y @w "k" 8
  halide.prefetch @y @w "k" 8
}

// CHECK-LABEL: halide.schedule @gpu
halide.schedule @gpu {
  // CHECK-NEXT: halide.gpu_blocks @y ["x", "y", "z"]
  halide.gpu_blocks @y ["x", "y", "z"]
  // CHECK-NEXT: halide.gpu_threads @y update(0) ["x"]
  halide.gpu_threads @y update(0) ["x"]
  // CHECK-NEXT: halide.gpu_single_thread @y
  halide.gpu_single_thread @y
  // CHECK-NEXT: halide.gpu_tile @y ["x", "y"] into (["bx", "by"], ["tx", "ty"]) by [16, 8] tail(guard_with_if)
  halide.gpu_tile @y ["x", "y"] into (["bx", "by"], ["tx", "ty"]) by [16, 8] tail(guard_with_if)
}
