// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_softcap_c1(%s: tensor<4xf32>) {
  // expected-error @+1 {{expected a cap from 1.175494e-38 to 8.507059e+37, whose inverse is a normal f32, found 0.000000e+00}}
  %0 = heddle.softcap %s cap(0.0) : tensor<4xf32>
  return
}

// -----

func.func @negative_softcap_c1_nan(%s: tensor<4xf32>) {
  // expected-error @+1 {{expected a cap from 1.175494e-38 to 8.507059e+37, whose inverse is a normal f32, found nan}}
  %0 = heddle.softcap %s cap(0x7FF8000000000000) : tensor<4xf32>
  return
}
