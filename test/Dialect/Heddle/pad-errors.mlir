// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @pad_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected 2 sizes of padding on each side, found 1 and 2}}
  %z = heddle.pad %x low [0] high [0, 0] value(0.0 : f32) : tensor<2x3xf32> -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

func.func @pad_c2(%x: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a value of type 'f32', found 0 : i32}}
  %z = heddle.pad %x low [0] high [1] value(0 : i32) : tensor<3xf32> -> tensor<4xf32>
  return %z : tensor<4xf32>
}
