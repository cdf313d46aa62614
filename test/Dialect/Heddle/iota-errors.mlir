// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @iota_c1() -> tensor<5xi32> {
  // expected-error @+1 {{expected an axis from 0 to 0, found 1}}
  %y = heddle.iota axis(1) sizes [5] : tensor<5xi32>
  return %y : tensor<5xi32>
}
