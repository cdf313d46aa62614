// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-derive-weights | FileCheck %s
// Ops in bodies stay as they are, and are read when weights are packed.
// RUN: heddle-opt %s --heddle-to-kernels | FileCheck %s --check-prefix=KERNELS

heddle.weight @w from "w" : tensor<64x256xbf16>
heddle.weight @v from "v" : tensor<8x16xf32>
heddle.weight @n from "n" : tensor<256xbf16>

// CHECK: heddle.weight @w.transpose : tensor<256x64xbf16> {
// CHECK-NEXT: %[[W:.*]] = heddle.weight_ref @w
// CHECK-NEXT: %[[T:.*]] = heddle.transpose %[[W]] permutation [1, 0]
// CHECK-NEXT: heddle.yield %[[T]] : tensor<256x64xbf16>

// CHECK: heddle.weight @v.divf : tensor<8x16xf32> {
// CHECK: heddle.reduce l2
// CHECK: heddle.broadcast
// CHECK: arith.divf

// CHECK: heddle.weight @v.concat : tensor<16x16xf32> {
// CHECK-NEXT: %[[V:.*]] = heddle.weight_ref @v
// CHECK-NEXT: %[[C:.*]] = heddle.concat %[[V]], %[[V]] axis(0)
// CHECK-NEXT: heddle.yield %[[C]]

// CHECK: heddle.weight @n.addf : tensor<256xf32> {
// CHECK-NEXT: %[[N:.*]] = heddle.weight_ref @n
// CHECK-NEXT: %[[E:.*]] = arith.extf %[[N]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.0
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[E]], %[[ONE]] : tensor<256xf32>
// CHECK-NEXT: heddle.yield %[[S]]

// KERNELS: heddle.transpose
// KERNELS: heddle.reduce l2
// KERNELS: heddle.concat

// CHECK-LABEL: func.func @moves
// CHECK-NEXT: %[[T:.*]] = heddle.weight_ref @w.transpose
// CHECK-NEXT: heddle.linear %{{.*}}, %[[T]]
func.func @moves(%x: tensor<4x64xf32>) -> tensor<4x256xf32> {
  %w = heddle.weight_ref @w : tensor<64x256xbf16>
  %t = heddle.transpose %w permutation [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
  %y = heddle.linear %x, %t : tensor<4x64xf32>, tensor<256x64xbf16>
  return %y : tensor<4x256xf32>
}

// What another function computes alike is the same weight.
// CHECK-LABEL: func.func @moves_again
// CHECK: heddle.weight_ref @w.transpose : tensor<256x64xbf16>
func.func @moves_again(%x: tensor<4x64xf32>) -> tensor<4x256xf32> {
  %w = heddle.weight_ref @w : tensor<64x256xbf16>
  %t = heddle.transpose %w permutation [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
  %y = heddle.linear %x, %t : tensor<4x64xf32>, tensor<256x64xbf16>
  return %y : tensor<4x256xf32>
}

// CHECK-LABEL: func.func @stacks
// CHECK: heddle.weight_ref @v.concat
func.func @stacks(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %v = heddle.weight_ref @v : tensor<8x16xf32>
  %c = heddle.concat %v, %v axis(0) : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
  %y = heddle.linear %x, %c : tensor<4x16xf32>, tensor<16x16xf32>
  return %y : tensor<4x16xf32>
}

// A part of it is larger than the weight, and is not stored.
// CHECK-LABEL: func.func @computes
// CHECK-NEXT: heddle.weight_ref @v.divf
// CHECK-NEXT: heddle.linear
func.func @computes(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %v = heddle.weight_ref @v : tensor<8x16xf32>
  %l = heddle.reduce l2 %v axes [1] keep_sizes : tensor<8x16xf32> -> tensor<8x1xf32>
  %b = heddle.broadcast %l to [8, 16] : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.divf %v, %b : tensor<8x16xf32>
  %y = heddle.linear %x, %d : tensor<4x16xf32>, tensor<8x16xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @adds_one
// CHECK-NEXT: heddle.weight_ref @n.addf
// CHECK-NEXT: heddle.rms_norm
func.func @adds_one(%x: tensor<4x256xf32>) -> tensor<4x256xf32> {
  %n = heddle.weight_ref @n : tensor<256xbf16>
  %e = arith.extf %n : tensor<256xbf16> to tensor<256xf32>
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %s = arith.addf %e, %one : tensor<256xf32>
  %y = heddle.rms_norm %x, %s epsilon(1.0e-6) : tensor<4x256xf32>, tensor<256xf32>
  return %y : tensor<4x256xf32>
}

// Kernels widen and repeat what they read.
// CHECK-LABEL: func.func @stays
// CHECK-DAG: heddle.weight_ref @n : tensor<256xbf16>
// CHECK-DAG: arith.extf
// CHECK-DAG: heddle.broadcast
// CHECK-DAG: heddle.weight_ref @w.transpose
// CHECK-DAG: heddle.cast
func.func @stays(%x: tensor<4x256xf32>) -> (tensor<4x256xf32>, tensor<256x64xf32>) {
  %n = heddle.weight_ref @n : tensor<256xbf16>
  %e = arith.extf %n : tensor<256xbf16> to tensor<256xf32>
  %b = heddle.broadcast %e to [4, 256] : tensor<256xf32> -> tensor<4x256xf32>
  %y = arith.addf %x, %b : tensor<4x256xf32>
  %w = heddle.weight_ref @w : tensor<64x256xbf16>
  %t = heddle.transpose %w permutation [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
  %c = heddle.cast %t : tensor<256x64xbf16> -> tensor<256x64xf32>
  return %y, %c : tensor<4x256xf32>, tensor<256x64xf32>
}

// What nothing uses may still say what calls check.
// CHECK-LABEL: func.func @keeps
// CHECK: heddle.broadcast
func.func @keeps(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %b = heddle.broadcast %x to [3, "n"] : tensor<?xf32> -> tensor<3x?xf32>
  return %x : tensor<?xf32>
}

// Elements that lie as those of the weight are read there.
// CHECK-LABEL: func.func @reshapes
// CHECK-NEXT: heddle.weight_ref @v : tensor<8x16xf32>
// CHECK-NEXT: heddle.reshape
func.func @reshapes(%x: tensor<128xf32>) -> tensor<128xf32> {
  %v = heddle.weight_ref @v : tensor<8x16xf32>
  %r = heddle.reshape %v to [128] : tensor<8x16xf32> -> tensor<128xf32>
  %y = arith.addf %x, %r : tensor<128xf32>
  return %y : tensor<128xf32>
}

// A slice with steps of 1 is a part of its weight, also within other bodies.
// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<4x10xf32>) -> (tensor<4x3xf32>, tensor<3x10xf32>, tensor<8x16xf32>) {
  %v = heddle.weight_ref @v : tensor<8x16xf32>
  %s = heddle.slice %v offsets [4, 6] sizes [4, 10] steps [1, 1]
     : tensor<8x16xf32> -> tensor<4x10xf32>
  // CHECK: %[[ALL:.*]] = heddle.weight_ref @v : tensor<8x16xf32>
  // CHECK: %[[PART:.*]] = heddle.weight_ref @v offsets [5, 6] : tensor<3x10xf32>
  %p = heddle.slice %s offsets [1, 0] sizes [3, 10] steps [1, 1]
     : tensor<4x10xf32> -> tensor<3x10xf32>
  %all = heddle.slice %v offsets [0, 0] sizes [8, 16] steps [1, 1]
     : tensor<8x16xf32> -> tensor<8x16xf32>
  // CHECK: heddle.linear %{{.*}}, %[[PART]]
  %y = heddle.linear %x, %p : tensor<4x10xf32>, tensor<3x10xf32>
  // CHECK: return %{{.*}}, %[[PART]], %[[ALL]]
  return %y, %p, %all : tensor<4x3xf32>, tensor<3x10xf32>, tensor<8x16xf32>
}

heddle.weight @codes from "codes" : tensor<32x64xi8>
heddle.weight @scales from "scales" : tensor<32x2xf16>

// What is decoded stays integers, whatever is computed of it, unless it becomes other integers.
// CHECK-LABEL: func.func @decodes
// CHECK: %[[D:.*]] = heddle.dequantize
// CHECK: %[[M:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK: %[[Q:.*]] = heddle.weight_ref @{{.*}} : tensor<32x64xi4>
// CHECK: return %[[M]], %[[Q]]
func.func @decodes() -> (tensor<32x64xf32>, tensor<32x64xi4>) {
  %codes = heddle.weight_ref @codes : tensor<32x64xi8>
  %scales = heddle.weight_ref @scales : tensor<32x2xf16>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x64xi8>, tensor<32x2xf16> -> tensor<32x64xf32>
  %m = arith.mulf %w, %w : tensor<32x64xf32>
  %q, %s = heddle.quantize %w axis(1) group(64) least_squares : tensor<32x64xf32> -> tensor<32x64xi4>, tensor<32x1xbf16>
  return %m, %q : tensor<32x64xf32>, tensor<32x64xi4>
}

// Floats of other kinds that take as much memory are weights, too, and so are integers that were others.
// CHECK-LABEL: func.func @narrow
// CHECK-DAG: heddle.weight_ref @half.cast : tensor<32x64xbf16>
// CHECK-DAG: heddle.weight_ref @{{.*}}.offset_binary : tensor<32x64xui4>
// CHECK-NOT: heddle.offset_binary
// CHECK: return
heddle.weight @half from "half" : tensor<32x64xf16>
heddle.weight @bytes from "bytes" : tensor<32x64xi8>
heddle.weight @scale from "scale" : tensor<32x1xf32>
func.func @narrow(%x: tensor<4x64xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %h = heddle.weight_ref @half : tensor<32x64xf16>
  %b = heddle.cast %h : tensor<32x64xf16> -> tensor<32x64xbf16>
  %y = heddle.linear %x, %b : tensor<4x64xf32>, tensor<32x64xbf16>
  %c = heddle.weight_ref @bytes : tensor<32x64xi8>
  %s = heddle.weight_ref @scale : tensor<32x1xf32>
  %d = heddle.dequantize %c, %s axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %q, %t = heddle.quantize %d axis(1) group(32) : tensor<32x64xf32> -> tensor<32x64xi4>, tensor<32x2xbf16>
  %u = heddle.offset_binary %q : tensor<32x64xi4> -> tensor<32x64xui4>
  %e = heddle.dequantize %u, %t axis(1) : tensor<32x64xui4>, tensor<32x2xbf16> -> tensor<32x64xf32>
  %z = heddle.linear %x, %e : tensor<4x64xf32>, tensor<32x64xf32>
  return %y, %z : tensor<4x32xf32>, tensor<4x32xf32>
}
