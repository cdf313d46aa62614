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

// The number of a row, divided by a size, in a product that may have one row alone: 0 then.
// CHECK: verified positions: 1 kernel
heddle.weight @w = dense<0.5> : tensor<32x20xf32>
heddle.weight @p = dense<0.25> : tensor<64x32xf32>
func.func @positions(%x: tensor<?x?x20xf32> {heddle.sizes = ["batch", "length"]}, %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x20xf32>
  %p = heddle.weight_ref @p : tensor<64x32xf32>
  %y = heddle.linear %x, %w : tensor<?x?x20xf32>, tensor<32x20xf32>
  %z = heddle.add_positions %y, %p at(%starts : tensor<?xi32>) : tensor<?x?x32xf32>, tensor<64x32xf32>
  return %z : tensor<?x?x32xf32>
}
