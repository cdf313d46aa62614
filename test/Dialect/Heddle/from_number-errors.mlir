// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @from_number_c1_index(%i: index) {
  // expected-error @+1 {{expected a result of type 'tensor<i64>', found 'tensor<i32>'}}
  %x = heddle.from_number %i : index -> tensor<i32>
  return
}

// -----

func.func @from_number_c1_rank(%f: f32) {
  // expected-error @+1 {{expected a result of type 'tensor<f32>', found 'tensor<1xf32>'}}
  %x = heddle.from_number %f : f32 -> tensor<1xf32>
  return
}

// -----

func.func @from_number_type(%f: f80) {
  // expected-error @+1 {{operand #0 must be f32, f64, bf16, f16, i8, i16, i32, i64 or i1 or index, but got 'f80'}}
  %x = heddle.from_number %f : f80 -> tensor<f80>
  return
}
