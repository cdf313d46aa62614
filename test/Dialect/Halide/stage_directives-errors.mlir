// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_directive_parent {
  // expected-error @+1 {{expects parent op to be one of 'halide.schedule, halide.specialize'}}
  halide.parallel @y "m"
}

// -----

halide.schedule @negative_directive_tail {
  // expected-error @+1 {{expected one of auto, round_up, guard_with_if, shift_inwards, found 'predicate'}}
  halide.split @y "m" into ("mo", "mi") by 12 tail(predicate)
}

// -----

halide.schedule @negative_directive_update {
  // expected-error @+1 {{attribute 'update' failed to satisfy constraint}}
  halide.parallel @y update(-1) "m"
}

// -----

halide.schedule @negative_split_factor {
  // expected-error @+1 {{attribute 'factor' failed to satisfy constraint}}
  halide.split @y "m" into ("mo", "mi") by 0
}

// -----

// Halide's sizes have 32 bits.
halide.schedule @negative_split_large_factor {
  // expected-error @+1 {{attribute 'factor' failed to satisfy constraint}}
  halide.split @y "m" into ("mo", "mi") by 4294967297
}

// -----

halide.schedule @negative_split_c1 {
  // expected-error @+1 {{expected distinct loops, found 'mo' twice}}
  halide.split @y "m" into ("mo", "mo") by 4
}

// -----

halide.schedule @negative_fuse_c1 {
  // expected-error @+1 {{expected distinct loops, found 'm' twice}}
  halide.fuse @y ("m", "m") into "t"
}

// -----

halide.schedule @negative_tile_c1_number {
  // expected-error @+1 {{expected 2 outer loops, inner loops and factors, found 2, 1 and 2}}
  halide.tile @y ["x", "y"] into (["xo", "yo"], ["xi"]) by [8, 4]
}

// -----

halide.schedule @negative_tile_c1_factor {
  // expected-error @+1 {{expected positive factors, found 0}}
  halide.tile @y ["x", "y"] into (["xo", "yo"], ["xi", "yi"]) by [8, 0]
}

// -----

halide.schedule @negative_tile_c2 {
  // expected-error @+1 {{expected distinct loops, found 'xo' twice}}
  halide.tile @y ["x", "y"] into (["xo", "yo"], ["xi", "xo"]) by [8, 4]
}

// -----

halide.schedule @negative_reorder_c1 {
  // expected-error @+1 {{expected distinct loops, found 'x' twice}}
  halide.reorder @y ["x", "y", "x"]
}

// -----

halide.schedule @negative_rename_c1 {
  // expected-error @+1 {{expected distinct loops, found 'x' twice}}
  halide.rename @y "x" to "x"
}

// -----

halide.schedule @negative_vectorize_factor {
  // expected-error @+1 {{attribute 'factor' failed to satisfy constraint}}
  halide.vectorize @y "x" by -16
}

// -----

halide.schedule @negative_compute_with_c1 {
  // expected-error @+1 {{expected another stage than its own}}
  halide.compute_with @y update(1) @y update(1) "x"
}

// -----

halide.schedule @negative_gpu_blocks_c1_number {
  // expected-error @+1 {{expected one to three loops, found 4}}
  halide.gpu_blocks @y ["a", "b", "c", "d"]
}

// -----

halide.schedule @negative_gpu_blocks_c1_distinct {
  // expected-error @+1 {{expected distinct loops, found 'a' twice}}
  halide.gpu_blocks @y ["a", "a"]
}

// -----

halide.schedule @negative_gpu_threads_c1_number {
  // expected-error @+1 {{expected one to three loops, found 0}}
  halide.gpu_threads @y []
}

// -----

halide.schedule @negative_gpu_threads_c1_distinct {
  // expected-error @+1 {{expected distinct loops, found 'a' twice}}
  halide.gpu_threads @y ["a", "b", "a"]
}

// -----

halide.schedule @negative_gpu_tile_c1 {
  // expected-error @+1 {{expected one to three loops, found 0}}
  halide.gpu_tile @y [] into ([], []) by []
}

// -----

halide.schedule @negative_gpu_tile_c2 {
  // expected-error @+1 {{expected 1 outer loops, inner loops and factors, found 1, 1 and 2}}
  halide.gpu_tile @y ["x"] into (["bx"], ["tx"]) by [16, 8]
}

// -----

halide.schedule @negative_gpu_tile_c3 {
  // expected-error @+1 {{expected distinct loops, found 'x' twice}}
  halide.gpu_tile @y ["x"] into (["x"], ["x"]) by [16]
}
