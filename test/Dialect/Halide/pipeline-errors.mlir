// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_pipeline_parent() {
  // expected-error @+1 {{expects parent op 'halide.pipeline'}}
  %0 = halide.param "batch"
  return
}

// -----

halide.pipeline @negative_pipeline_names {
  // expected-note @+1 {{see existing symbol definition here}}
  halide.input @x [4] : f32
  // expected-error @+1 {{redefinition of symbol named 'x'}}
  halide.input @x [4] : f32
}
