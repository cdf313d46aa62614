// The structured op: maps, reductions, tables and maths of every kind.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified transposed:
// CHECK: verified rows:
// CHECK: verified normalized:
// CHECK: verified ordered:
// CHECK: verified gathered:
// CHECK: verified gelu:
// CHECK: verified product:
// CHECK: verified weights:
// CHECK: verified vector:
// CHECK: verified repeated:

func.func @transposed(%x: tensor<?x12x7xf32> {heddle.sizes = ["n"]}) -> tensor<?x7x12xf32> {
  %y = heddle.generic over ["n", 7, 12] ins(%x : tensor<?x12x7xf32>)
      maps [affine_map<(n, i, j) -> (n, j, i)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?x7x12xf32>
  return %y : tensor<?x7x12xf32>
}

// Rows of a batch become one dimension, and two again.
func.func @rows(%x: tensor<?x?x24xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x24xf32> {
  %y = heddle.generic over ["batch * length", 24] ins(%x : tensor<?x?x24xf32>)
      maps [affine_map<(m, c)[length] -> (m floordiv length, m mod length, c)>] symbols ["length"] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?x24xf32>
  %z = heddle.generic over ["batch", "length", 24] ins(%y : tensor<?x24xf32>)
      maps [affine_map<(b, l, c)[length] -> (b * length + l, c)>] symbols ["length"] {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    heddle.yield %0 : f32
  } : tensor<?x?x24xf32>
  return %z : tensor<?x?x24xf32>
}

// Sums and maxima in one kernel, which another one divides by.
func.func @normalized(%x: tensor<?x33xf32> {heddle.sizes = ["n"]}) -> (tensor<?x33xf32>, tensor<?x1xf32>) {
  %s:2 = heddle.generic over ["n", 1] reduce [33] initial [1.0 : f32, 0xFF800000 : f32]
      ins(%x : tensor<?x33xf32>) maps [affine_map<(n, one, i) -> (n, i)>] {
  ^bb0(%a: f32, %sum: f32, %most: f32):
    %0 = math.absf %a : f32
    %1 = arith.addf %sum, %0 : f32
    %2 = arith.maximumf %most, %a : f32
    heddle.yield %1, %2 : f32, f32
  } : tensor<?x1xf32>, tensor<?x1xf32>
  %y = heddle.generic over ["n", 33] ins(%x, %s#0 : tensor<?x33xf32>, tensor<?x1xf32>)
      maps [affine_map<(n, i) -> (n, i)>, affine_map<(n, i) -> (n, 0)>] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.divf %a, %b : f32
    heddle.yield %0 : f32
  } : tensor<?x33xf32>
  return %y, %s#1 : tensor<?x33xf32>, tensor<?x1xf32>
}

// No other order gives x / 2^(n - i).
func.func @ordered(%x: tensor<5x3x8xf32>) -> tensor<8xf32> {
  %y = heddle.generic over [8] reduce [5, 3] initial [0.0 : f32]
      ins(%x : tensor<5x3x8xf32>) maps [affine_map<(c, i, j) -> (i, j, c)>] {
  ^bb0(%a: f32, %old: f32):
    %half = arith.constant 0.5 : f32
    %0 = arith.addf %old, %a : f32
    %1 = arith.mulf %0, %half : f32
    heddle.yield %1 : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// Any integer leads into the table, or to what is read outside of it.
func.func @gathered(%i: tensor<?xi32> {heddle.sizes = ["n"]}, %t: tensor<9x16xf32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %y:2 = heddle.generic over ["n", 16] ins(%i : tensor<?xi32>) maps [affine_map<(n, c) -> (n)>]
      tables(%t : tensor<9x16xf32>) {
  ^bb0(%id: i32, %table: tensor<9x16xf32>):
    %c = heddle.index 1
    %n = heddle.size "n" : i32
    %past = arith.subi %id, %n : i32
    %fill = arith.sitofp %past : i32 to f32
    %0 = heddle.read %table[%id, %c] : tensor<9x16xf32>
    %1 = heddle.read %table[%past, %c] fill(%fill) : tensor<9x16xf32>
    heddle.yield %0, %1 : f32, f32
  } : tensor<?x16xf32>, tensor<?x16xf32>
  return %y#0, %y#1 : tensor<?x16xf32>, tensor<?x16xf32>
}

// x (1 + erf(x / sqrt 2)) / 2
func.func @gelu(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}) -> tensor<?x40xf32> {
  %y = heddle.generic over ["n", 40] ins(%x : tensor<?x40xf32>) maps [affine_map<(n, c) -> (n, c)>] {
  ^bb0(%a: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %scale = arith.constant 0.707106769 : f32
    %0 = arith.mulf %a, %scale : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %half : f32
    heddle.yield %4 : f32
  } : tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}

// A product of activations with any batch.
func.func @product(%x: tensor<?x5x17xf32> {heddle.sizes = ["n"]}, %y: tensor<?x6x17xf32> {heddle.sizes = ["n"]})
    -> tensor<?x5x6xf32> {
  %z = heddle.generic over ["n", 5, 6] reduce [17] initial [0.0 : f32]
      ins(%x, %y : tensor<?x5x17xf32>, tensor<?x6x17xf32>)
      maps [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (n, j, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?x5x6xf32>
  return %z : tensor<?x5x6xf32>
}

// Weights, and what a kernel of another kind has left with padded rows.
heddle.weight @w = dense<0.25> : tensor<20x12xf32>
heddle.weight @b = dense<[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0]> : tensor<20xf32>
func.func @weights(%x: tensor<?x12xf32> {heddle.sizes = ["n"]}) -> tensor<12x?xf32> {
  %w = heddle.weight_ref @w : tensor<20x12xf32>
  %b = heddle.weight_ref @b : tensor<20xf32>
  %h = heddle.linear %x, %w : tensor<?x12xf32>, tensor<20x12xf32>
  %y = heddle.generic over [12, "n"] reduce [20] initial [0.0 : f32]
      ins(%h, %b, %w : tensor<?x20xf32>, tensor<20xf32>, tensor<20x12xf32>)
      maps [affine_map<(i, n, j) -> (n, j)>, affine_map<(i, n, j) -> (j)>, affine_map<(i, n, j) -> (j, i)>] {
  ^bb0(%a: f32, %bias: f32, %weight: f32, %sum: f32):
    %0 = arith.addf %a, %bias : f32
    %1 = arith.mulf %0, %weight : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<12x?xf32>
  return %y : tensor<12x?xf32>
}

func.func @vector(%x: tensor<3x20xf32>) -> tensor<20xf32> {
  %s = heddle.generic over [20] reduce [3] initial [0.0 : f32]
      ins(%x : tensor<3x20xf32>) maps [affine_map<(i, j) -> (j, i)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<20xf32>
  %y = heddle.generic over [20] ins(%s : tensor<20xf32>) maps [affine_map<(i) -> (i floordiv 2)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<20xf32>
  return %y : tensor<20xf32>
}

// A reduction over a dimension that its terms do not depend on.
func.func @repeated(%x: tensor<7xf32>) -> tensor<7xf32> {
  %0 = heddle.expand %x axes [1] : tensor<7xf32> -> tensor<7x1xf32>
  %1 = heddle.broadcast %0 to [7, 33] : tensor<7x1xf32> -> tensor<7x33xf32>
  %y = heddle.reduce sum %1 axes [1] : tensor<7x33xf32> -> tensor<7xf32>
  return %y : tensor<7xf32>
}
