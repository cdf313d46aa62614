// RUN: heddlec %s --target-cpu=x86-64-v3 --emit=llvm | FileCheck %s

// The integer that a NaN becomes is frozen before anything is computed from it.
// CHECK: %[[INTEGER:.*]] = fptosi <8 x float> %{{.*}} to <8 x i32>
// CHECK-NEXT: freeze <8 x i32> %[[INTEGER]]
func.func @forward(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]}) -> tensor<?x64xf32> {
  %y = heddle.activation silu %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
