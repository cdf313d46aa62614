// Sums of integers that are no counts of a layer: another op on elements reads them.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified sums: {{[0-9]+}} kernel
func.func @sums(%x: tensor<8x16xi32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c = arith.constant dense<70> : tensor<8x16xi32>
  %s = arith.addi %x, %c : tensor<8x16xi32>
  %a = arith.remsi %s, %c : tensor<8x16xi32>
  %b = arith.andi %s, %c : tensor<8x16xi32>
  %p = heddle.cast %a : tensor<8x16xi32> -> tensor<8x16xf32>
  %q = heddle.cast %b : tensor<8x16xi32> -> tensor<8x16xf32>
  return %p, %q : tensor<8x16xf32>, tensor<8x16xf32>
}
