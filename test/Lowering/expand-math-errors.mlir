// RUN: heddle-opt %s --heddle-expand-math -split-input-file -verify-diagnostics

func.func @sum(%x: f8E4M3FN) -> f8E4M3FN {
  // expected-error @+1 {{'arith.addf' op cannot compute with 'f8E4M3FN', which is only stored: cast it to f32 before}}
  %0 = arith.addf %x, %x : f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

func.func @function(%x: f8E5M2) -> f8E5M2 {
  // expected-error @+1 {{'math.exp' op cannot compute with 'f8E5M2', which is only stored: cast it to f32 before}}
  %0 = math.exp %x : f8E5M2
  return %0 : f8E5M2
}
