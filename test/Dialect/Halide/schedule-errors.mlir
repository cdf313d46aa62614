// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_schedule_parent {
  // expected-error @+1 {{expects parent op 'halide.schedule'}}
  halide.parallel @y "m"
}

// -----

halide.schedule @negative_schedule_tail {
  // expected-error @+2 {{to be one of: auto, round_up, guard_with_if, shift_inwards}}
  // expected-error @+1 {{failed to parse Halide_TailAttr}}
  halide.split @y "m" into ("mo", "mi") by 12 tail(predicate)
}

// -----

halide.schedule @negative_schedule_memory {
  // expected-error @+2 {{::heddle::halide::Memory to be one of: stack, register}}
  // expected-error @+2 {{failed to parse Halide_MemoryAttr}}
  halide.store_in @y heap
}
