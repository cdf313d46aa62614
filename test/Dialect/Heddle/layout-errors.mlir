// RUN: heddle-opt %s --split-input-file --verify-diagnostics

heddle.weight @w = dense<0.5> : tensor<4x8xf32>
func.func @weight_ref_c2() -> tensor<4x8xf32> {
  // expected-error @+1 {{expected a layout along a dimension below 2, found 2}}
  %w = heddle.weight_ref @w layout(<panels of 4 along 2>) : tensor<4x8xf32>
  return %w : tensor<4x8xf32>
}

// -----

heddle.weight @w = dense<0.5> : tensor<4x8xf32>
func.func @layout_c1() -> tensor<4x8xf32> {
  // expected-error @+1 {{expected panels of at least one element along a dimension, found 0 along 1}}
  %w = heddle.weight_ref @w layout(<panels of 0 along 1>) : tensor<4x8xf32>
  return %w : tensor<4x8xf32>
}

// -----

heddle.weight @w from "w" : tensor<4x8xf32>
func.func @negative_layout_groups() {
  // expected-error @+1 {{expected groups of at least one element, found 0}}
  %w = heddle.weight_ref @w layout(<panels of 4 along 1 groups of 0>) : tensor<4x8xf32>
  return
}
