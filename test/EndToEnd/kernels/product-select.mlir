// What follows a product may choose by coordinates: of the elements that it does not
// take, a NaN reaches nothing, and none of a tile's others is left out.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}
// RUN: %if !device %{ heddlec %s --target-cpu=x86-64-v4 --emit=stmt -o %t/stmt %}
// RUN: %if !device %{ not grep explicit_bounds %t/stmt %}

// CHECK: verified lower: 1 kernel
// CHECK: verified corner: 1 kernel
// CHECK: verified row: 1 kernel
// CHECK: verified sums:

func.func @lower(%x: tensor<?x?x8xf32> {heddle.sizes = ["b", "n"]},
                 %y: tensor<?x8x?xf32> {heddle.sizes = ["b", "n"]})
    -> tensor<?x?x?xf32> {
  %p = heddle.matmul %x, %y : tensor<?x?x8xf32>, tensor<?x8x?xf32> -> tensor<?x?x?xf32>
  %r = heddle.generic over ["b", "n", "n"] ins(%p : tensor<?x?x?xf32>)
      maps [affine_map<(b, i, j) -> (b, i, j)>] {
  ^bb0(%a: f32):
    %i = heddle.index 1
    %j = heddle.index 2
    %zero = arith.constant 0.0 : f32
    %isLower = arith.cmpi slt, %j, %i : i32
    %r = arith.select %isLower, %a, %zero : f32
    heddle.yield %r : f32
  } : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Only a few rows and columns of a tile are taken.
func.func @corner(%x: tensor<40x8xf32>, %y: tensor<8x40xf32>) -> tensor<40x40xf32> {
  %p = heddle.matmul %x, %y : tensor<40x8xf32>, tensor<8x40xf32> -> tensor<40x40xf32>
  %r = heddle.generic over [40, 40] ins(%p : tensor<40x40xf32>)
      maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%a: f32):
    %i = heddle.index 0
    %j = heddle.index 1
    %c17 = arith.constant 17 : i32
    %c35 = arith.constant 35 : i32
    %zero = arith.constant 0.0 : f32
    %isBelow = arith.cmpi sge, %i, %c17 : i32
    %isRight = arith.cmpi sge, %j, %c35 : i32
    %isTaken = arith.andi %isBelow, %isRight : i1
    %r = arith.select %isTaken, %a, %zero : f32
    heddle.yield %r : f32
  } : tensor<40x40xf32>
  return %r : tensor<40x40xf32>
}

// One row, so that columns are the only ones of a tile, and a weight's panels.
heddle.weight @w = dense<0.25> : tensor<70x33xf32>
func.func @row(%x: tensor<?x33xf32> {heddle.sizes = ["n"]}) -> tensor<?x70xf32> {
  %w = heddle.weight_ref @w : tensor<70x33xf32>
  %p = heddle.linear %x, %w : tensor<?x33xf32>, tensor<70x33xf32>
  %r = heddle.generic over ["n", 70] ins(%p : tensor<?x70xf32>)
      maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%a: f32):
    %j = heddle.index 1
    %i = heddle.index 0
    %c7 = arith.constant 7 : i32
    %isOther = arith.cmpi sgt, %j, %c7 : i32
    %isLate = arith.cmpi sgt, %i, %j : i32
    %twice = arith.addf %a, %a : f32
    %s = arith.select %isOther, %a, %twice : f32
    %r = arith.select %isLate, %s, %a : f32
    heddle.yield %r : f32
  } : tensor<?x70xf32>
  return %r : tensor<?x70xf32>
}

// A sum of what is chosen.
func.func @sums(%x: tensor<?x20x8xf32> {heddle.sizes = ["b"]},
                %y: tensor<?x8x20xf32> {heddle.sizes = ["b"]}) -> tensor<?x20xf32> {
  %p = heddle.matmul %x, %y : tensor<?x20x8xf32>, tensor<?x8x20xf32> -> tensor<?x20x20xf32>
  %r = heddle.generic over ["b", 20, 20] ins(%p : tensor<?x20x20xf32>)
      maps [affine_map<(b, i, j) -> (b, i, j)>] {
  ^bb0(%a: f32):
    %i = heddle.index 1
    %j = heddle.index 2
    %zero = arith.constant 0.0 : f32
    %isUpper = arith.cmpi sgt, %j, %i : i32
    %r = arith.select %isUpper, %a, %zero : f32
    heddle.yield %r : f32
  } : tensor<?x20x20xf32>
  %s = heddle.reduce sum %r axes [2] : tensor<?x20x20xf32> -> tensor<?x20xf32>
  return %s : tensor<?x20xf32>
}
