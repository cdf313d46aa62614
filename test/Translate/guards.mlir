// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=stmt -o - | FileCheck %s

// The last vector of 33 elements is guarded, also where it reads what is kept of a row.

// CHECK-LABEL: produce fold {
// CHECK: for (fold.s1.d2.d2, 0, 2)
// CHECK: predicate (ramp(28, 1, 14) <= x14(32))
func.func @f(%x: tensor<7x?x33xf32> {heddle.sizes = ["n"]}) -> tensor<7x33xf32> {
  %y = heddle.reduce max %x axes [1] : tensor<7x?x33xf32> -> tensor<7x33xf32>
  return %y : tensor<7x33xf32>
}
