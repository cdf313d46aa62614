// RUN: heddle-opt %s --heddle-expand-math -split-input-file -verify-diagnostics

func.func @f64(%x: f64) -> f64 {
  // expected-error @+1 {{'math.exp' op expected f32, bf16 or f16, found 'f64'}}
  %0 = math.exp %x : f64
  return %0 : f64
}

// -----

// What has an instruction, too.
func.func @native_f64(%x: f64) -> f64 {
  // expected-error @+1 {{'math.sqrt' op expected f32, bf16 or f16, found 'f64'}}
  %0 = math.sqrt %x : f64
  return %0 : f64
}
