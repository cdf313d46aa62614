// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_schedule_parent {
  // expected-error @+1 {{expects parent op 'halide.schedule'}}
  halide.parallel @y "m"
}

// -----

halide.schedule @negative_schedule_tail {
  // expected-error @+1 {{expected one of auto, round_up, guard_with_if, shift_inwards, found 'predicate'}}
  halide.split @y "m" into ("mo", "mi") by 12 tail(predicate)
}

// -----

halide.schedule @negative_schedule_memory {
  // expected-error @+1 {{expected one of stack, register, found 'heap'}}
  halide.store_in @y heap
}
