// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_gru_cell_c1_input(%x: tensor<2x20xf32>, %h: tensor<2x24xf32>, %w: tensor<72x24xf32>) {
  // expected-error @+1 {{expected an input weight of shape [72, 20], found 'tensor<72x24xf32>'}}
  %0 = heddle.gru_cell %x, %h, %w, %w
     : tensor<2x20xf32>, tensor<2x24xf32>, tensor<72x24xf32>, tensor<72x24xf32>
  return
}

// -----

func.func @negative_gru_cell_c1_hidden(%x: tensor<2x20xf32>, %h: tensor<2x24xf32>, %w: tensor<72x20xf32>) {
  // expected-error @+1 {{expected a hidden weight of shape [72, 24], found 'tensor<72x20xf32>'}}
  %0 = heddle.gru_cell %x, %h, %w, %w
     : tensor<2x20xf32>, tensor<2x24xf32>, tensor<72x20xf32>, tensor<72x20xf32>
  return
}

// -----

func.func @negative_gru_cell_c2(%x: tensor<2x4xf32>, %w: tensor<12x4xf32>, %b: tensor<12xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{expected a hidden bias of 12 elements, found 8}}
  %0 = heddle.gru_cell %x, %x, %w, %w biases(%b, %c : tensor<12xf32>, tensor<8xf32>)
     : tensor<2x4xf32>, tensor<2x4xf32>, tensor<12x4xf32>, tensor<12x4xf32>
  return
}

// -----

func.func @negative_gru_cell_c2_one_missing(%x: tensor<2x4xf32>, %w: tensor<12x4xf32>, %b: tensor<12xf32>) {
  // expected-error @+1 {{expected biases of input and hidden, or none}}
  %0 = "heddle.gru_cell"(%x, %x, %w, %w, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}>
     : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<12x4xf32>, tensor<12x4xf32>, tensor<12xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @negative_gru_cell_c3(%x: tensor<3x4xf32>, %h: tensor<2x4xf32>, %w: tensor<12x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected the sizes of hidden to be "2", found "3"}}
  %0 = heddle.gru_cell %x, %h, %w, %w
     : tensor<3x4xf32>, tensor<2x4xf32>, tensor<12x4xf32>, tensor<12x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @negative_gru_cell_c3_rank(%x: tensor<4xf32>, %h: tensor<2x4xf32>, %w: tensor<12x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected an input of rank 2, as hidden has, found 'tensor<4xf32>'}}
  %0 = heddle.gru_cell %x, %h, %w, %w
     : tensor<4xf32>, tensor<2x4xf32>, tensor<12x4xf32>, tensor<12x4xf32>
  return %0 : tensor<2x4xf32>
}
