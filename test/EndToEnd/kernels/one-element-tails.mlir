// Rows of vectors and one element more. The guard of a vector with one element is lost where
// an element is chosen, which writes past the row.
// The schedule is the CPU's.
// UNSUPPORTED: device

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %if !device %{ heddlec %s --target-cpu=x86-64-v4 --emit=schedule | FileCheck %s --check-prefix=SCHEDULE %}
// RUN: heddlec %s --target-cpu=native --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --target-cpu=x86-64-v3 --verify -o kernel.o | FileCheck %s %}

// SCHEDULE: halide.schedule @columns_
// SCHEDULE-DAG: halide.vectorize @{{[a-z_0-9]+}} "d0" by 16 tail(shift_inwards)
// SCHEDULE-DAG: halide.vectorize @fold update(0) "d1" by 14 tail(guard_with_if)
// CHECK: verified columns:
func.func @columns(%x: tensor<5x17xf32>) -> tensor<17xf32> {
  %y = heddle.reduce max %x axes [0] : tensor<5x17xf32> -> tensor<17xf32>
  return %y : tensor<17xf32>
}
// CHECK: verified softmax:
func.func @softmax(%x: tensor<17x33xf32>) -> tensor<17x33xf32> {
  %y = heddle.softmax %x axis(0) : tensor<17x33xf32>
  return %y : tensor<17x33xf32>
}
// CHECK: verified scatter:
func.func @scatter(%x: tensor<16x17xf32>, %i: tensor<15xi32>, %u: tensor<15x17xf32>) -> tensor<16x17xf32> {
  %y = heddle.scatter min %x, %i, %u axis(0)
     : tensor<16x17xf32>, tensor<15xi32>, tensor<15x17xf32> -> tensor<16x17xf32>
  return %y : tensor<16x17xf32>
}
