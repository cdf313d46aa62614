// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_weight_ref_c1_name() {
  // expected-error @+1 {{expected a heddle.weight, found nothing named @w}}
  %0 = heddle.weight_ref @w : tensor<4xf32>
  return
}

// -----

func.func private @f()

func.func @negative_weight_ref_c1_symbol() {
  // expected-error @+1 {{expected a heddle.weight, found nothing named @f}}
  %0 = heddle.weight_ref @f : tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<4xf32>

func.func @negative_weight_ref_c1_type() {
  // expected-error @+1 {{expected type 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %0 = heddle.weight_ref @w : tensor<5xf32>
  return
}
