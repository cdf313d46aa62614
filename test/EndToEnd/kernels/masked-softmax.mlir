// Softmax of scores that a mask made infinite, as models have it that state attention by
// single ops, in all types of floats: what is dropped counts as exactly nothing.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified dropped: 1 kernel
// CHECK: verified dropped as a whole: worst error 0 of tolerance 0
func.func @dropped(%x: tensor<3x9xf32>, %n: tensor<3x1xi32>) -> tensor<3x9xf32> {
  %i = heddle.iota axis(1) sizes [3, 9] : tensor<3x9xi32>
  %b = heddle.broadcast %n to [3, 9] : tensor<3x1xi32> -> tensor<3x9xi32>
  %k = arith.cmpi sle, %i, %b : tensor<3x9xi32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s = heddle.where %k, %x, %low : tensor<3x9xi1>, tensor<3x9xf32>, tensor<1xf32> -> tensor<3x9xf32>
  return %s : tensor<3x9xf32>
}

// CHECK: verified causal: {{[0-9]+}} kernel
func.func @causal(%x: tensor<2x?x?xf32> {heddle.sizes = ["n", "n"]})
    -> (tensor<2x?x?xf32>, tensor<2x?x?xf32>) {
  %q = heddle.iota axis(0) sizes ["n", "n"] : tensor<?x?xi32>
  %k = heddle.iota axis(1) sizes ["n", "n"] : tensor<?x?xi32>
  %keep = arith.cmpi sle, %k, %q : tensor<?x?xi32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s = heddle.where %keep, %x, %low : tensor<?x?xi1>, tensor<2x?x?xf32>, tensor<1xf32> -> tensor<2x?x?xf32>
  %y = heddle.softmax %s axis(2) : tensor<2x?x?xf32>
  %z = heddle.log_softmax %s axis(2) : tensor<2x?x?xf32>
  return %y, %z : tensor<2x?x?xf32>, tensor<2x?x?xf32>
}

// CHECK: verified narrow: {{[0-9]+}} kernel
func.func @narrow(%x: tensor<7x9xbf16>, %y: tensor<7x9xf16>) -> (tensor<7x9xbf16>, tensor<7x9xf16>) {
  %i = heddle.iota axis(1) sizes [7, 9] : tensor<7x9xi32>
  %j = heddle.iota axis(0) sizes [7, 9] : tensor<7x9xi32>
  %keep = arith.cmpi sle, %i, %j : tensor<7x9xi32>
  %low = arith.constant dense<0xFF80> : tensor<1xbf16>
  %lower = arith.constant dense<0xFC00> : tensor<1xf16>
  %s = heddle.where %keep, %x, %low : tensor<7x9xi1>, tensor<7x9xbf16>, tensor<1xbf16> -> tensor<7x9xbf16>
  %t = heddle.where %keep, %y, %lower : tensor<7x9xi1>, tensor<7x9xf16>, tensor<1xf16> -> tensor<7x9xf16>
  %a = heddle.softmax %s axis(1) : tensor<7x9xbf16>
  %b = heddle.softmax %t axis(1) : tensor<7x9xf16>
  return %a, %b : tensor<7x9xbf16>, tensor<7x9xf16>
}

// Positions may be compared as floats.
// CHECK: verified positions: {{[0-9]+}} kernel
func.func @positions(%x: tensor<3x9xf32>) -> tensor<3x9xf32> {
  %i = heddle.iota axis(1) sizes [3, 9] : tensor<3x9xf32>
  %c3 = arith.constant dense<3.0> : tensor<3x9xf32>
  %k = arith.cmpf ole, %i, %c3 : tensor<3x9xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s = heddle.where %k, %x, %low : tensor<3x9xi1>, tensor<3x9xf32>, tensor<1xf32> -> tensor<3x9xf32>
  %y = heddle.softmax %s axis(1) : tensor<3x9xf32>
  return %y : tensor<3x9xf32>
}

// Beside the lowest number others are nothing: any result is within the errors of the scores.
// CHECK: verified lowest: 1 kernel
func.func @lowest(%b: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %low = arith.constant dense<0xFF7FFFFF> : tensor<4x7xf32>
  %x = arith.addf %low, %b : tensor<4x7xf32>
  %w = heddle.softmax %x axis(1) : tensor<4x7xf32>
  return %w : tensor<4x7xf32>
}
