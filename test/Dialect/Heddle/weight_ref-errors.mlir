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

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_columns() {
  // expected-error @+1 {{expected rows of 'tensor<6x4xf32>', found 'tensor<2x5xf32>' from row 1 on}}
  %0 = heddle.weight_ref @w first_row(1) : tensor<2x5xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_past_the_end() {
  // expected-error @+1 {{expected rows of 'tensor<6x4xf32>', found 'tensor<3x4xf32>' from row 4 on}}
  %0 = heddle.weight_ref @w first_row(4) : tensor<3x4xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_before_the_start() {
  // expected-error @+1 {{expected rows of 'tensor<6x4xf32>', found 'tensor<3x4xf32>' from row -1 on}}
  %0 = heddle.weight_ref @w first_row(-1) : tensor<3x4xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<f32>

func.func @negative_weight_ref_c3_no_rows() {
  // expected-error @+1 {{expected rows of 'tensor<f32>', found 'tensor<f32>' from row 0 on}}
  %0 = heddle.weight_ref @w first_row(0) : tensor<f32>
  return
}
