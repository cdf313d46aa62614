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
