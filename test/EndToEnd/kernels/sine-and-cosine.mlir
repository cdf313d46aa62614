// The sine and the cosine of one f64, of which LLVM makes one call.
// CUDA has no functions of f64.
// UNSUPPORTED: cuda
// RUN: heddlec %s --verify -o %t.o | FileCheck %s

// CHECK: verified both as a whole
func.func @both(%x: tensor<?xf64> {heddle.sizes = ["n"]}) -> tensor<?xf64> {
  %s = math.sin %x : tensor<?xf64>
  %c = math.cos %x : tensor<?xf64>
  %y = arith.mulf %s, %c : tensor<?xf64>
  return %y : tensor<?xf64>
}
