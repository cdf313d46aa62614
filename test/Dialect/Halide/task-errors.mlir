// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_task_c1 {
  %count = arith.constant 4 : i32
  // expected-error @+1 {{expected a count that is a halide.param}}
  %task = halide.task of %count
}

// -----

halide.pipeline @negative_task_c2 {
  %rows = halide.param "rows"
  // expected-note @+1 {{the first one is here}}
  %task = halide.task of %rows
  // expected-error @+1 {{expected one task, found a second}}
  %other = halide.task of %rows
}

// -----

halide.pipeline @negative_task_c1_in_order {
  %count = halide.param "tasks"
  %number = arith.constant 3 : i32
  // expected-error @+1 {{expected tasks in order whose number is a halide.param}}
  %task = halide.task of %count in_order %number
}
