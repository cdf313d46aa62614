// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_add_positions_c1(%x: tensor<2x3x64xf32>, %t: tensor<512x32xf32>) {
  // expected-error @+1 {{expected a table of 64 columns, found 32}}
  %0 = heddle.add_positions %x, %t : tensor<2x3x64xf32>, tensor<512x32xf32>
  return
}

// -----

func.func @negative_add_positions_c2(%x: tensor<2x513x8xf32>, %t: tensor<512x8xf32>) -> tensor<2x513x8xf32> {
  // expected-error @+1 {{expected a length of at most the 512 rows of the table, found 513}}
  %0 = heddle.add_positions %x, %t : tensor<2x513x8xf32>, tensor<512x8xf32>
  return %0 : tensor<2x513x8xf32>
}

// -----

func.func @negative_add_positions_c2_dynamic(%x: tensor<2x?x8xf32> {heddle.sizes = ["length"]}, %t: tensor<512x8xf32>)
    -> tensor<2x?x8xf32> {
  // expected-error @+1 {{expected a length of at most the 512 rows of the table, found length; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.add_positions %x, %t : tensor<2x?x8xf32>, tensor<512x8xf32>
  return %0 : tensor<2x?x8xf32>
}

// -----

func.func @add_positions_c2(%x: tensor<2x?x8xf32> {heddle.sizes = ["length"]}, %t: tensor<512x8xf32>)
    -> tensor<2x?x8xf32> attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 512>]} {
  %0 = heddle.add_positions %x, %t : tensor<2x?x8xf32>, tensor<512x8xf32>
  return %0 : tensor<2x?x8xf32>
}

// -----

func.func @negative_add_positions_starts(%x: tensor<2x3x8xf32>, %t: tensor<512x8xf32>, %s: tensor<3xi32>) -> tensor<2x3x8xf32> {
  // expected-error @+1 {{expected the number of starts to be "2", found "3"}}
  %0 = heddle.add_positions %x, %t at(%s : tensor<3xi32>) : tensor<2x3x8xf32>, tensor<512x8xf32>
  return %0 : tensor<2x3x8xf32>
}

// -----

func.func @negative_add_positions_c3(%x: tensor<2x3x8xf32>, %t: tensor<512x8xf32>, %s: tensor<2xi32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{expected 'at' or 'position_ids', found both}}
  %0 = heddle.add_positions %x, %t at(%s : tensor<2xi32>) position_ids(%i : tensor<2x3xi32>) : tensor<2x3x8xf32>, tensor<512x8xf32>
  return
}

// -----

func.func @negative_add_positions_position_ids(%x: tensor<2x3x8xf32>, %t: tensor<512x8xf32>, %i: tensor<2x4xi32>) -> tensor<2x3x8xf32> {
  // expected-error @+1 {{expected the length of the position ids to be "3", found "4"}}
  %0 = heddle.add_positions %x, %t position_ids(%i : tensor<2x4xi32>) : tensor<2x3x8xf32>, tensor<512x8xf32>
  return %0 : tensor<2x3x8xf32>
}
