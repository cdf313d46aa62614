// Integers divided by constants, in every direction of rounding.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified towards_zero: 1 kernel
func.func @towards_zero(%x: tensor<66xi32>) -> tensor<66xf32> {
  %c = arith.constant dense<7> : tensor<66xi32>
  %q = arith.divsi %x, %c : tensor<66xi32>
  %y = arith.sitofp %q : tensor<66xi32> to tensor<66xf32>
  return %y : tensor<66xf32>
}
// CHECK: verified down: 1 kernel
func.func @down(%x: tensor<66xi32>) -> tensor<66xf32> {
  %c = arith.constant dense<-3> : tensor<66xi32>
  %q = arith.floordivsi %x, %c : tensor<66xi32>
  %y = arith.sitofp %q : tensor<66xi32> to tensor<66xf32>
  return %y : tensor<66xf32>
}
// CHECK: verified up: 1 kernel
func.func @up(%x: tensor<66xi32>) -> tensor<66xf32> {
  %c = arith.constant dense<100> : tensor<66xi32>
  %q = arith.ceildivsi %x, %c : tensor<66xi32>
  %y = arith.sitofp %q : tensor<66xi32> to tensor<66xf32>
  return %y : tensor<66xf32>
}
// CHECK: verified rest: 1 kernel
func.func @rest(%x: tensor<66xi32>) -> tensor<66xf32> {
  %c = arith.constant dense<5> : tensor<66xi32>
  %q = arith.remsi %x, %c : tensor<66xi32>
  %y = arith.sitofp %q : tensor<66xi32> to tensor<66xf32>
  return %y : tensor<66xf32>
}
