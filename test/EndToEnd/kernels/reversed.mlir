// Rows that are read backwards and that vectors do not divide.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified reversed: 1 kernel
func.func @reversed(%x: tensor<2x31xf32>) -> tensor<2x31xf32> {
  %y = heddle.slice %x offsets [0, 30] sizes [2, 31] steps [1, -1] : tensor<2x31xf32> -> tensor<2x31xf32>
  return %y : tensor<2x31xf32>
}
// CHECK: verified reversed_one_more: 1 kernel
func.func @reversed_one_more(%x: tensor<33xf32>) -> tensor<33xf32> {
  %y = heddle.slice %x offsets [32] sizes [33] steps [-1] : tensor<33xf32> -> tensor<33xf32>
  return %y : tensor<33xf32>
}

// What stands at i mod 2 of two is chosen by numbers that go down.
// CHECK: verified reversed_pairs: 1 kernel
// CHECK-NEXT: verified reversed_pairs as a whole
func.func @reversed_pairs(%x: tensor<33x17xf32>) -> tensor<11x5xf32> {
  %largest, %i = heddle.top_k %x axis(1) k(2) : tensor<33x17xf32> -> tensor<33x2xf32>, tensor<33x2xi32>
  %pairs = heddle.reshape %largest to [11, 6] : tensor<33x2xf32> -> tensor<11x6xf32>
  %y = heddle.slice %pairs offsets [0, 4] sizes [11, 5] steps [1, -1] : tensor<11x6xf32> -> tensor<11x5xf32>
  return %y : tensor<11x5xf32>
}

// The dividends of coordinates are negative.
// CHECK: verified reversed_columns: 1 kernel
func.func @reversed_columns(%x: tensor<?x?xf32> {heddle.sizes = ["h", "w"]}) -> tensor<?xf32> {
  %t = heddle.transpose %x permutation [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %r = heddle.reshape %t to ["w * h"] : tensor<?x?xf32> -> tensor<?xf32>
  %y = heddle.slice %r offsets ["w * h - 1"] sizes ["w * h"] steps [-1] : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// So are those of numbers that bodies make of their places.
// CHECK: verified reversed_iota: 1 kernel
// CHECK-NEXT: verified reversed_iota as a whole
func.func @reversed_iota(%x: tensor<105xi32>) -> tensor<105xi32> {
  %i = heddle.iota axis(1) sizes [3, 5, 7] : tensor<3x5x7xi32>
  %t = heddle.transpose %i permutation [2, 1, 0] : tensor<3x5x7xi32> -> tensor<7x5x3xi32>
  %r = heddle.reshape %t to [105] : tensor<7x5x3xi32> -> tensor<105xi32>
  %y = heddle.slice %r offsets [104] sizes [105] steps [-1] : tensor<105xi32> -> tensor<105xi32>
  %z = arith.addi %y, %x : tensor<105xi32>
  return %z : tensor<105xi32>
}
// CHECK: verified reversed_dynamic_iota: 1 kernel
// CHECK-NEXT: verified reversed_dynamic_iota as a whole
func.func @reversed_dynamic_iota(%x: tensor<?xi32> {heddle.sizes = ["a * b * c"]},
    %u: tensor<?x?x?xi8> {heddle.sizes = ["a", "b", "c"]}) -> tensor<?xi32> {
  %i = heddle.iota axis(1) sizes ["a", "b", "c"] : tensor<?x?x?xi32>
  %t = heddle.transpose %i permutation [2, 1, 0] : tensor<?x?x?xi32> -> tensor<?x?x?xi32>
  %r = heddle.reshape %t to ["a * b * c"] : tensor<?x?x?xi32> -> tensor<?xi32>
  %y = heddle.slice %r offsets ["a * b * c - 1"] sizes ["a * b * c"] steps [-1] : tensor<?xi32> -> tensor<?xi32>
  %z = arith.addi %y, %x : tensor<?xi32>
  return %z : tensor<?xi32>
}
