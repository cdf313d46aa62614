// Of two integers that are as near the even one, on devices, too, whose own functions take the
// other. Numbers that are verified have such among them.
// RUN: heddlec %s --verify -o %t.o | FileCheck %s

// CHECK: verified of_f32 as a whole: worst error 0 of tolerance 0
func.func @of_f32(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %y = math.roundeven %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
// CHECK: verified of_f64 as a whole: worst error 0 of tolerance 0
func.func @of_f64(%x: tensor<?x64xf64> {heddle.sizes = ["n"]}) -> tensor<?x64xf64> {
  %y = math.roundeven %x : tensor<?x64xf64>
  return %y : tensor<?x64xf64>
}
