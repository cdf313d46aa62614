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
  // expected-error @+1 {{expected a part of 'tensor<6x4xf32>', found 'tensor<2x5xf32>' from [1, 0] on}}
  %0 = heddle.weight_ref @w offsets [1, 0] : tensor<2x5xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_past_the_end() {
  // expected-error @+1 {{expected a part of 'tensor<6x4xf32>', found 'tensor<3x4xf32>' from [4, 0] on}}
  %0 = heddle.weight_ref @w offsets [4, 0] : tensor<3x4xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_before_the_start() {
  // expected-error @+1 {{expected a part of 'tensor<6x4xf32>', found 'tensor<3x4xf32>' from [-1, 0] on}}
  %0 = heddle.weight_ref @w offsets [-1, 0] : tensor<3x4xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<f32>

func.func @negative_weight_ref_c3_no_dimensions() {
  // expected-error @+1 {{expected a part of 'tensor<f32>', found 'tensor<f32>' from [0] on}}
  %0 = heddle.weight_ref @w offsets [0] : tensor<f32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_past_the_last_column() {
  // expected-error @+1 {{expected a part of 'tensor<6x4xf32>', found 'tensor<3x2xf32>' from [0, 3] on}}
  %0 = heddle.weight_ref @w offsets [0, 3] : tensor<3x2xf32>
  return
}

// -----

// expected-note @+1 {{the weight}}
heddle.weight @w from "w" : tensor<6x4xf32>

func.func @negative_weight_ref_c3_type() {
  // expected-error @+1 {{expected a part of 'tensor<6x4xf32>', found 'tensor<3x2xbf16>' from [0, 0] on}}
  %0 = heddle.weight_ref @w offsets [0, 0] : tensor<3x2xbf16>
  return
}
