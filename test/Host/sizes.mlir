// Sizes of every form, in the code that measures arguments.
// RUN: heddlec %s --emit=host | FileCheck %s

// CHECK-LABEL: func.func @sizes.measure(
// CHECK: case 0 {
// CHECK: %[[CEIL:.*]] = arith.ceildivsi %[[N:.*]], %c32_i64
// CHECK: memref.store %[[CEIL]], %{{.*}}[%c1]
// CHECK: case 1 {
// CHECK: %[[MIN:.*]] = arith.minsi
// CHECK: %[[FLOOR:.*]] = arith.floordivsi %[[MIN]], %c7_i64
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[FLOOR]], %c7_i64
// CHECK: %[[MOD:.*]] = arith.subi %[[MIN]], %[[PRODUCT]]
// CHECK: memref.store %[[MOD]], %{{.*}}[%c1]
// A divisor that may not be positive is checked, too.
// CHECK: case 2 {
// CHECK: %[[DIVISOR:.*]] = arith.maxsi
// CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt, %[[DIVISOR]], %c0_i64
// CHECK: %[[SAFE:.*]] = arith.select %[[POSITIVE]], %[[DIVISOR]], %c1_i64
// CHECK: arith.floordivsi %{{.*}}, %[[SAFE]]
func.func @sizes(%x: tensor<?x4xf32> {heddle.sizes = ["ceildiv(n, 32)"]},
    %y: tensor<?x4xf32> {heddle.sizes = ["mod(min(n, m), 7)"]},
    %z: tensor<?x4xf32> {heddle.sizes = ["floordiv(n, max(n - m, 2))"]}) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Sizes that are broadcast together are 1 or what all are, or the call ends with what the first
// are that are neither.
// CHECK-LABEL: func.func @together.measure(
// CHECK: default {
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[A:.*]], %c1_i64
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[A]], %[[N:.*]] : i64
// CHECK: %[[FITS:.*]] = arith.ori %[[ONE]], %[[SAME]]
// CHECK: %[[FIRST:.*]] = arith.select %[[FITS]], %c1_i64, %[[A]]
// CHECK: %[[SECOND:.*]] = arith.select %[[FITS]], %c1_i64, %[[N]]
// CHECK: %[[STATUS:.*]] = arith.select %[[FITS]], %{{.*}}, %c4_i32
// CHECK: memref.store %[[FIRST]], %{{.*}}[%c1]
// CHECK: memref.store %[[SECOND]], %{{.*}}[%c2]
// CHECK: arith.select %true, %[[STATUS]],
func.func @together(%x: tensor<?xf32> {heddle.sizes = ["a"]}, %y: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %0 = heddle.broadcast %x to ["n"] : tensor<?xf32> -> tensor<?xf32>
  %1 = arith.addf %0, %y : tensor<?xf32>
  return %1 : tensor<?xf32>
}
