// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_input_type {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint}}
  halide.input @x [64] : f80
}

// -----

halide.pipeline @negative_input_extents {
  // expected-error @+1 {{expected 1 dynamic extents, found 0}}
  "halide.input"() <{sym_name = "x", type = f32,
      static_extents = array<i64: 64, -9223372036854775808>}> : () -> ()
}
