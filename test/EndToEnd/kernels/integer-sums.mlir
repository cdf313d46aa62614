// Offsets of sums of products of integers: of two of these, of rows behind a bias, and of products
// that several read.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --quiet -o kernel.o | FileCheck %s
// CHECK-COUNT-4: verified {{.*}} as a whole

heddle.weight @a = dense<3> : tensor<32x64xi8>
heddle.weight @b = dense<2> : tensor<32x64xi8>
heddle.weight @t = dense<0.5> : tensor<32x4xf32>
heddle.weight @m = dense<0.25> : tensor<32x4xf32>

// An offset belongs to one of the two, and is subtracted once.
func.func @two(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %x2: tensor<?x64xf32> {heddle.sizes = ["n"]},
    %sums: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %a = heddle.weight_ref @a : tensor<32x64xi8>
  %b = heddle.weight_ref @b : tensor<32x64xi8>
  %t = heddle.weight_ref @t : tensor<32x4xf32>
  %m = heddle.weight_ref @m : tensor<32x4xf32>
  %q, %s = heddle.quantize %x axis(1) group(16) : tensor<?x64xf32> -> tensor<?x64xi16>, tensor<?x4xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x4xf32> -> tensor<?x64xf32>
  %q2, %s2 = heddle.quantize %x2 axis(1) group(16) : tensor<?x64xf32> -> tensor<?x64xi16>, tensor<?x4xf32>
  %d2 = heddle.dequantize %q2, %s2 axis(1) : tensor<?x64xi16>, tensor<?x4xf32> -> tensor<?x64xf32>
  %wa = heddle.dequantize %a, %t axis(1) : tensor<32x64xi8>, tensor<32x4xf32> -> tensor<32x64xf32>
  %wb = heddle.dequantize %b, %t axis(1) : tensor<32x64xi8>, tensor<32x4xf32> -> tensor<32x64xf32>
  %y = heddle.linear %d, %wa : tensor<?x64xf32>, tensor<32x64xf32>
  %y2 = heddle.linear %d2, %wb : tensor<?x64xf32>, tensor<32x64xf32>
  %o = heddle.linear %sums, %m : tensor<?x4xf32>, tensor<32x4xf32>
  %z = arith.addf %y, %y2 : tensor<?x32xf32>
  %r = arith.subf %z, %o : tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// Behind a bias, of rows in two dimensions.
func.func @bias(%x: tensor<2x?x64xf32> {heddle.sizes = ["n"]}, %sums: tensor<2x?x4xf32> {heddle.sizes = ["n"]},
    %bias: tensor<32xf32>) -> tensor<2x?x32xf32> {
  %a = heddle.weight_ref @a : tensor<32x64xi8>
  %t = heddle.weight_ref @t : tensor<32x4xf32>
  %m = heddle.weight_ref @m : tensor<32x4xf32>
  %q, %s = heddle.quantize %x axis(2) group(16) : tensor<2x?x64xf32> -> tensor<2x?x64xi8>, tensor<2x?x4xf32>
  %d = heddle.dequantize %q, %s axis(2) : tensor<2x?x64xi8>, tensor<2x?x4xf32> -> tensor<2x?x64xf32>
  %w = heddle.dequantize %a, %t axis(1) : tensor<32x64xi8>, tensor<32x4xf32> -> tensor<32x64xf32>
  %y = heddle.linear %d, %w bias(%bias : tensor<32xf32>) : tensor<2x?x64xf32>, tensor<32x64xf32>
  %o = heddle.linear %sums, %m : tensor<2x?x4xf32>, tensor<32x4xf32>
  %r = arith.subf %y, %o : tensor<2x?x32xf32>
  return %r : tensor<2x?x32xf32>
}

// Products that are read twice, and those that are subtracted from an offset, stay products of their
// own.
func.func @others(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %sums: tensor<?x4xf32> {heddle.sizes = ["n"]})
    -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %a = heddle.weight_ref @a : tensor<32x64xi8>
  %t = heddle.weight_ref @t : tensor<32x4xf32>
  %m = heddle.weight_ref @m : tensor<32x4xf32>
  %q, %s = heddle.quantize %x axis(1) group(16) : tensor<?x64xf32> -> tensor<?x64xi16>, tensor<?x4xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x4xf32> -> tensor<?x64xf32>
  %w = heddle.dequantize %a, %t axis(1) : tensor<32x64xi8>, tensor<32x4xf32> -> tensor<32x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<32x64xf32>
  %o = heddle.linear %sums, %m : tensor<?x4xf32>, tensor<32x4xf32>
  %r = arith.subf %y, %o : tensor<?x32xf32>
  %l = arith.subf %o, %y : tensor<?x32xf32>
  return %r, %l : tensor<?x32xf32>, tensor<?x32xf32>
}

// Tiles of one have rows of 70, and those of the other rows of 3: they are in kernels of their own.
heddle.weight @f = dense<0.5> : tensor<32x256xf32>
heddle.weight @z = dense<0.25> : tensor<70x32x256xf32>
func.func @rows(%x: tensor<70x3x256xf32>) -> tensor<70x3x32xf32> {
  %f = heddle.weight_ref @f : tensor<32x256xf32>
  %z = heddle.weight_ref @z : tensor<70x32x256xf32>
  %y = heddle.linear %x, %f : tensor<70x3x256xf32>, tensor<32x256xf32>
  %o = heddle.matmul %x, %z transpose_b : tensor<70x3x256xf32>, tensor<70x32x256xf32> -> tensor<70x3x32xf32>
  %r = arith.addf %y, %o : tensor<70x3x32xf32>
  return %r : tensor<70x3x32xf32>
}
