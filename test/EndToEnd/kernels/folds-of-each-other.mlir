// Values so far that read each other's: all are computed before one is stored.
//
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified floats:
// CHECK: verified mixed:

func.func @floats(%x: tensor<5x40xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %r:2 = heddle.generic over [5] reduce [40] initial [0.0 : f32, 1.0 : f32]
      ins(%x : tensor<5x40xf32>) maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%a: f32, %m: f32, %n: f32):
    %half = arith.constant 0.5 : f32
    %next = arith.mulf %m, %half : f32
    %sum = arith.addf %n, %a : f32
    %other = arith.mulf %sum, %half : f32
    heddle.yield %other, %next : f32, f32
  } : tensor<5xf32>, tensor<5xf32>
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
}

// A number in bf16 and one in i32, each of which the other one changes.
func.func @mixed(%x: tensor<5x40xf32>) -> (tensor<5xbf16>, tensor<5xi32>) {
  %r:2 = heddle.generic over [5] reduce [40] initial [1.0 : bf16, 0 : i32]
      ins(%x : tensor<5x40xf32>) maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%a: f32, %m: bf16, %n: i32):
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %wide = arith.extf %m : bf16 to f32
    %isUp = arith.cmpf olt, %zero, %wide : f32
    %up = arith.addi %n, %c1 : i32
    %down = arith.subi %n, %c1 : i32
    %count = arith.select %isUp, %up, %down : i32
    %number = arith.sitofp %n : i32 to f32
    %isEarly = arith.cmpf olt, %number, %a : f32
    %negative = arith.negf %m : bf16
    %next = arith.select %isEarly, %negative, %m : bf16
    heddle.yield %next, %count : bf16, i32
  } : tensor<5xbf16>, tensor<5xi32>
  return %r#0, %r#1 : tensor<5xbf16>, tensor<5xi32>
}
