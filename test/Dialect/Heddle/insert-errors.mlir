// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @insert_c1_axis(%part: tensor<2x1xf32>, %x: tensor<2x3xf32>, %i: index) {
  // expected-error @+1 {{expected an axis from 0 to 1, found 2}}
  %y = heddle.insert %part into %x at %i axis(2) : tensor<2x1xf32> into tensor<2x3xf32>
  return
}

// -----

func.func @insert_c1_rank(%part: tensor<2xf32>, %x: tensor<2x3xf32>, %i: index) {
  // expected-error @+1 {{expected a part of rank 2, found 'tensor<2xf32>'}}
  %y = heddle.insert %part into %x at %i axis(1) : tensor<2xf32> into tensor<2x3xf32>
  return
}

// -----

func.func @insert_c2_size(%part: tensor<4x1xf32>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected the size of the tensor to be "2", found "4"}}
  %y = heddle.insert %part into %x at %c1 axis(1) : tensor<4x1xf32> into tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @insert_c2_type(%part: tensor<2x1xbf16>, %x: tensor<2x3xf32>, %i: index) {
  // expected-error @+1 {{expected a part of 'f32', found 'tensor<2x1xbf16>'}}
  %y = heddle.insert %part into %x at %i axis(1) : tensor<2x1xbf16> into tensor<2x3xf32>
  return
}
