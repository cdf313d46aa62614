// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_lstm_cell_c1(%x: tensor<2x20xf32>, %h: tensor<2x24xf32>, %w: tensor<72x20xf32>, %u: tensor<96x24xf32>) {
  // expected-error @+1 {{expected an input weight of shape [96, 20], found 'tensor<72x20xf32>'}}
  %0, %1 = heddle.lstm_cell %x, %h, %h, %w, %u
     : tensor<2x20xf32>, tensor<2x24xf32>, tensor<72x20xf32>, tensor<96x24xf32>
  return
}

// -----

func.func @negative_lstm_cell_c2(%x: tensor<2x4xf32>, %w: tensor<16x4xf32>, %b: tensor<12xf32>, %c: tensor<16xf32>) {
  // expected-error @+1 {{expected an input bias of 16 elements, found 12}}
  %0, %1 = heddle.lstm_cell %x, %x, %x, %w, %w biases(%b, %c : tensor<12xf32>, tensor<16xf32>)
     : tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  return
}

// -----

func.func @negative_lstm_cell_c3_input(%x: tensor<3x4xf32>, %h: tensor<2x4xf32>, %w: tensor<16x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected the sizes of hidden to be "2", found "3"}}
  %0, %1 = heddle.lstm_cell %x, %h, %h, %w, %w
     : tensor<3x4xf32>, tensor<2x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @negative_lstm_cell_c3_cell(%x: tensor<?x4xf32> {heddle.sizes = ["m"]},
    %h: tensor<?x4xf32> {heddle.sizes = ["n"]}, %w: tensor<16x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{expected the sizes of hidden to be "n", found "m"}}
  %0, %1 = heddle.lstm_cell %h, %h, %x, %w, %w
     : tensor<?x4xf32>, tensor<?x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @negative_lstm_cell_c4(%x: tensor<2x4xf32>, %w: tensor<16x4xf32>, %p: tensor<16xf32>) {
  // expected-error @+1 {{expected peepholes of 12 elements, found 16}}
  %0, %1 = heddle.lstm_cell %x, %x, %x, %w, %w peepholes(%p : tensor<16xf32>)
     : tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  return
}
