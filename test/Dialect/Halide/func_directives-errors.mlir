// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_directive_parent {
  // expected-error @+1 {{expects parent op 'halide.schedule'}}
  halide.compute_root @y
}

// -----

// Where a func is computed is no matter of one of its stages.
halide.schedule @negative_compute_root_update {
  // expected-error @+2 {{not found for custom op 'update'}}
  // expected-note @+1 {{Available dialects}}
  halide.compute_root @y update(0)
}

// -----

halide.schedule @negative_compute_at_c1 {
  // expected-error @+1 {{expected a loop of another func, found one of @y}}
  halide.compute_at @y @y "m"
}

// -----

halide.schedule @negative_store_at_c1 {
  // expected-error @+1 {{expected a loop of another func, found one of @y}}
  halide.store_at @y @y "m"
}

// -----

halide.schedule @negative_store_in_memory {
  // expected-error @+1 {{expected one of stack, register, gpu_shared, amx_tile, found 'heap'}}
  halide.store_in @y heap
}

// -----

halide.schedule @negative_reorder_storage_c1_number {
  // expected-error @+1 {{expected at least two dimensions, found 1}}
  halide.reorder_storage @y ["m"]
}

// -----

halide.schedule @negative_reorder_storage_c1_distinct {
  // expected-error @+1 {{expected distinct loops, found 'm' twice}}
  halide.reorder_storage @y ["m", "m"]
}

// -----

halide.schedule @negative_align_storage_alignment {
  // expected-error @+1 {{attribute 'alignment' failed to satisfy constraint}}
  halide.align_storage @y "m" 0
}

// -----

halide.schedule @negative_bound_extent {
  // expected-error @+1 {{attribute 'extent' failed to satisfy constraint}}
  halide.bound @y "m" 0 0
}

// -----

halide.schedule @negative_align_bounds_modulus {
  // expected-error @+1 {{attribute 'modulus' failed to satisfy constraint}}
  halide.align_bounds @y "m" 0
}

// -----

halide.schedule @negative_align_bounds_c1 {
  // expected-error @+1 {{expected a remainder from 0 to 15, found 16}}
  halide.align_bounds @y "m" 16, 16
}

// -----

halide.schedule @negative_align_bounds_c1_below {
  // expected-error @+1 {{expected a remainder from 0 to 15, found -1}}
  halide.align_bounds @y "m" 16, -1
}
