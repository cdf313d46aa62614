// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_where_in_func {
  halide.func @y(%c) : i32 {
    %keep = arith.cmpi slt, %c, %c : i32
    // expected-error @+1 {{expects parent op 'halide.update'}}
    halide.where %keep
    halide.yield %c : i32
  }
}
