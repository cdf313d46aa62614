// Numbers of 16 bits that become f32 may be NaN, and comparisons see it: in each update of a
// reduction, not in its first one alone.
// RUN: heddlec %s --target=cuda:sm_90 --emit=device -o - | FileCheck %s

// The smallest of each of 128 strands, its index, and the index of the smallest of all.
// CHECK: barrier.sync
// CHECK: setp.nan.f16
// CHECK: barrier.sync
// CHECK: setp.nan.f16
// CHECK: barrier.sync
// CHECK: setp.nan.f16
func.func @smallest(%x: tensor<2048x5xf16>) -> tensor<5xi64> {
  %y = heddle.arg_reduce min %x axis(0) : tensor<2048x5xf16> -> tensor<5xi64>
  return %y : tensor<5xi64>
}
