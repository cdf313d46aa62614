// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_generic_c1(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected map 0 to have 1 dimensions, at most 0 symbols and 2 results, found affine_map<(d0) -> (d0)>}}
  %y = heddle.generic over [4] ins(%x : tensor<4x8xf32>) maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_generic_c1_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected 1 maps, found 0}}
  %y = heddle.generic over [4] ins(%x : tensor<4xf32>) maps [] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_generic_c2(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a block with arguments of types 'f32', found 'i32'}}
  %y = heddle.generic over [4] ins(%x : tensor<4xf32>) maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: i32):
    %0 = arith.constant 1.0 : f32
    heddle.yield %0 : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_generic_c3() -> tensor<4xf32> {
  // expected-error @+1 {{expected values of types 'f32'}}
  %y = heddle.generic over [4] {
    %i = heddle.index 0
    // expected-note @+1 {{yields types 'i32'}}
    heddle.yield %i : i32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_generic_c4() -> tensor<5xi32> {
  // expected-error @+1 {{expected results of sizes [#heddle.size<"4">], found 'tensor<5xi32>'}}
  %y = heddle.generic over [4] {
    %i = heddle.index 0
    heddle.yield %i : i32
  } : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

func.func @negative_generic_c5(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{expected initial value 0 to be of type 'f32', found 0 : i32}}
  %y = heddle.generic over [] reduce [4] initial [0 : i32] ins(%x : tensor<4xf32>)
      maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @negative_generic_c5_count(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+1 {{expected 1 initial values, found 0}}
  %y = heddle.generic over [] reduce [4] initial [] ins(%x : tensor<4xf32>)
      maps [affine_map<(i) -> (i)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @negative_index_c1() -> tensor<4xi32> {
  %y = heddle.generic over [4] {
    // expected-error @+1 {{expected a dimension below 1, found 1}}
    %i = heddle.index 1
    heddle.yield %i : i32
  } : tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @negative_size_c1() -> tensor<4xi32> {
  // expected-error @+1 {{expected a result of type 'index' here, found 'i32'}}
  %n = heddle.size "n" : i32
  %y = heddle.generic over [4] {
    %i = heddle.index 0
    heddle.yield %i : i32
  } : tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @negative_size_c1_body() -> tensor<4xi32> {
  %y = heddle.generic over [4] {
    // expected-error @+1 {{expected a result of type 'i32' here, found 'index'}}
    %n = heddle.size "n" : index
    %i = arith.index_cast %n : index to i32
    heddle.yield %i : i32
  } : tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @negative_read_c1(%t: tensor<4x8xf32>) -> tensor<4xf32> {
  %y = heddle.generic over [4] tables(%t : tensor<4x8xf32>) {
  ^bb0(%table: tensor<4x8xf32>):
    %i = heddle.index 0
    // expected-error @+1 {{expected 2 coordinates, found 1}}
    %0 = heddle.read %table[%i] : tensor<4x8xf32>
    heddle.yield %0 : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_size_c2(%x: tensor<4xf32>) -> tensor<4xi32> {
  %y = heddle.generic over [4] {
    // expected-error @+1 {{expected a number of 32 bits, found 5000000000}}
    %n = heddle.size "5000000000" : i32
    heddle.yield %n : i32
  } : tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @negative_generic_c7_over(%x: tensor<1xi64>) {
  // expected-error @+1 {{expected dimensions of at least 0, found -3}}
  %y = heddle.generic over [-3] reduce [4] initial [0 : i64] ins(%x : tensor<1xi64>) maps [affine_map<(i, j) -> (0)>] {
  ^bb0(%e: i64, %sum: i64):
    %0 = arith.addi %sum, %e : i64
    heddle.yield %0 : i64
  } : tensor<?xi64>
  return
}

// -----

func.func @negative_generic_c7_reduce(%x: tensor<1xi64>) {
  // expected-error @+1 {{expected dimensions of at least 0, found -3}}
  %y = heddle.generic over [1] reduce [-3] initial [0 : i64] ins(%x : tensor<1xi64>) maps [affine_map<(i, j) -> (0)>] {
  ^bb0(%e: i64, %sum: i64):
    %0 = arith.addi %sum, %e : i64
    heddle.yield %0 : i64
  } : tensor<1xi64>
  return
}

// -----

func.func @negative_generic_c7_most(%x: tensor<1xi64>) {
  // expected-error @+1 {{expected reduced dimensions of at most 2147479552, found 4294967297}}
  %y = heddle.generic over [1] reduce [4294967297] initial [0 : i64] ins(%x : tensor<1xi64>) maps [affine_map<(i, j) -> (0)>] {
  ^bb0(%e: i64, %sum: i64):
    %0 = arith.addi %sum, %e : i64
    heddle.yield %0 : i64
  } : tensor<1xi64>
  return
}

// -----

heddle.weight @w from "w" : tensor<4x16x8xi4>
func.func @negative_generic_c8() {
  %w = heddle.weight_ref @w : tensor<4x16x8xi4>
  // expected-error @+1 {{expected results of integers of 4 bits to be chosen matrices (heddle.choice), found 'tensor<4x16x8xi4>'}}
  %y = heddle.generic over [4, 16, 8] ins(%w : tensor<4x16x8xi4>) maps [affine_map<(e, n, k) -> (e, n, k)>] {
  ^bb0(%code: i8):
    heddle.yield %code : i8
  } : tensor<4x16x8xi4>
  return
}
