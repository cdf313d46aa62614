// heddle.linear with bf16 weights and inputs that are rounded to bf16: at the tails of rows, columns
// and depth, as CPUs compute it that add up products of bf16 in pairs.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --arithmetic=bf16 --verify --quiet -o kernel.o | FileCheck %s
// CHECK-COUNT-16: verified {{.*}} as a whole

// Where the CPU has no such instruction, pairs of a file are added up with others.
// RUN: heddlec %s --weights=weights --arithmetic=bf16 --target-cpu=znver4 --emit=heddle --quiet > rounded.mlir
// RUN: echo 'heddle.configure @w32x64 #heddle.layout<panels of 16 along 0 groups of 2>' >> layouts.mlir
// RUN: echo 'heddle.configure @w33x36 #heddle.layout<panels of 16 along 0 groups of 2>' >> layouts.mlir
// RUN: echo 'heddle.configure @w172x64 #heddle.layout<panels of 16 along 0 groups of 2>' >> layouts.mlir
// RUN: echo 'heddle.configure @w64x172 #heddle.layout<panels of 16 along 0 groups of 2>' >> layouts.mlir
// RUN: echo 'heddle.configure @w40x2062 #heddle.layout<panels of 16 along 0 groups of 2>' >> layouts.mlir
// RUN: echo 'heddle.configure @w16x2 #heddle.layout<panels of 16 along 0 groups of 2>' >> layouts.mlir
// RUN: heddlec rounded.mlir --weights=weights --target-cpu=x86-64-v3 --schedule=layouts.mlir --verify --quiet -o kernel.o \
// RUN:   | FileCheck %s
// RUN: heddlec rounded.mlir --weights=weights --target-cpu=znver4 --emit=asm --quiet | FileCheck %s --check-prefix=PAIRS
// RUN: heddlec rounded.mlir --weights=weights --target-cpu=icelake-server --emit=asm --quiet \
// RUN:   | FileCheck %s --check-prefix=OTHERS --implicit-check-not=bf16
// RUN: heddlec rounded.mlir --weights=weights --target-cpu=znver4 --emit=kernels --quiet | FileCheck %s --check-prefix=KERNELS
// PAIRS: vdpbf16ps
// KERNELS-COUNT-17: bf16 pairs>
// OTHERS: vfmadd

// Devices multiply floats.
// UNSUPPORTED: device

heddle.weight @w32x64 from "w32x64" : tensor<32x64xbf16>
heddle.weight @w33x36 from "w33x36" : tensor<33x36xbf16>
heddle.weight @w172x64 from "w172x64" : tensor<172x64xbf16>
heddle.weight @w64x172 from "w64x172" : tensor<64x172xbf16>
heddle.weight @w40x2062 from "w40x2062" : tensor<40x2062xbf16>
heddle.weight @w16x2 from "w16x2" : tensor<16x2xbf16>
heddle.weight @w40x37 from "w40x37" : tensor<40x37xbf16>
heddle.weight @up172x64 from "up172x64" : tensor<172x64xbf16>

func.func @many_32x64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x32xf32> {
  %w = heddle.weight_ref @w32x64 : tensor<32x64xbf16>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xbf16>
  return %y : tensor<?x?x32xf32>
}

func.func @few_32x64(%x: tensor<1x64xf32>) -> tensor<1x32xf32> {
  %w = heddle.weight_ref @w32x64 : tensor<32x64xbf16>
  %y = heddle.linear %x, %w : tensor<1x64xf32>, tensor<32x64xbf16>
  return %y : tensor<1x32xf32>
}

func.func @many_33x36(%x: tensor<?x?x36xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x33xf32> {
  %w = heddle.weight_ref @w33x36 : tensor<33x36xbf16>
  %y = heddle.linear %x, %w : tensor<?x?x36xf32>, tensor<33x36xbf16>
  return %y : tensor<?x?x33xf32>
}

func.func @few_33x36(%x: tensor<1x36xf32>) -> tensor<1x33xf32> {
  %w = heddle.weight_ref @w33x36 : tensor<33x36xbf16>
  %y = heddle.linear %x, %w : tensor<1x36xf32>, tensor<33x36xbf16>
  return %y : tensor<1x33xf32>
}

func.func @many_172x64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x172xf32> {
  %w = heddle.weight_ref @w172x64 : tensor<172x64xbf16>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<172x64xbf16>
  return %y : tensor<?x?x172xf32>
}

func.func @few_172x64(%x: tensor<1x64xf32>) -> tensor<1x172xf32> {
  %w = heddle.weight_ref @w172x64 : tensor<172x64xbf16>
  %y = heddle.linear %x, %w : tensor<1x64xf32>, tensor<172x64xbf16>
  return %y : tensor<1x172xf32>
}

func.func @many_64x172(%x: tensor<?x?x172xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %w = heddle.weight_ref @w64x172 : tensor<64x172xbf16>
  %y = heddle.linear %x, %w : tensor<?x?x172xf32>, tensor<64x172xbf16>
  return %y : tensor<?x?x64xf32>
}

func.func @few_64x172(%x: tensor<1x172xf32>) -> tensor<1x64xf32> {
  %w = heddle.weight_ref @w64x172 : tensor<64x172xbf16>
  %y = heddle.linear %x, %w : tensor<1x172xf32>, tensor<64x172xbf16>
  return %y : tensor<1x64xf32>
}

func.func @many_40x2062(%x: tensor<?x?x2062xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x40xf32> {
  %w = heddle.weight_ref @w40x2062 : tensor<40x2062xbf16>
  %y = heddle.linear %x, %w : tensor<?x?x2062xf32>, tensor<40x2062xbf16>
  return %y : tensor<?x?x40xf32>
}

func.func @few_40x2062(%x: tensor<1x2062xf32>) -> tensor<1x40xf32> {
  %w = heddle.weight_ref @w40x2062 : tensor<40x2062xbf16>
  %y = heddle.linear %x, %w : tensor<1x2062xf32>, tensor<40x2062xbf16>
  return %y : tensor<1x40xf32>
}

func.func @many_16x2(%x: tensor<?x?x2xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x16xf32> {
  %w = heddle.weight_ref @w16x2 : tensor<16x2xbf16>
  %y = heddle.linear %x, %w : tensor<?x?x2xf32>, tensor<16x2xbf16>
  return %y : tensor<?x?x16xf32>
}

func.func @few_16x2(%x: tensor<1x2xf32>) -> tensor<1x16xf32> {
  %w = heddle.weight_ref @w16x2 : tensor<16x2xbf16>
  %y = heddle.linear %x, %w : tensor<1x2xf32>, tensor<16x2xbf16>
  return %y : tensor<1x16xf32>
}

// An odd number of terms has no pairs, and inputs stay f32.
func.func @odd(%x: tensor<7x37xf32>, %bias: tensor<40xf32>) -> tensor<7x40xf32> {
  %w = heddle.weight_ref @w40x37 : tensor<40x37xbf16>
  %y = heddle.linear %x, %w bias(%bias : tensor<40xf32>) : tensor<7x37xf32>, tensor<40x37xbf16>
  return %y : tensor<7x40xf32>
}

// Two matrices of one kernel, and what is rounded where it is made.
func.func @gated(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %gate = heddle.weight_ref @w172x64 : tensor<172x64xbf16>
  %up = heddle.weight_ref @up172x64 : tensor<172x64xbf16>
  %down = heddle.weight_ref @w64x172 : tensor<64x172xbf16>
  %y = heddle.gated_feed_forward silu %x, %gate, %up, %down
      : tensor<?x64xf32>, tensor<172x64xbf16>, tensor<172x64xbf16>, tensor<64x172xbf16>
  return %y : tensor<?x64xf32>
}

// The matrix of a product, and the table of an embedding that is the head, too.
func.func @product(%x: tensor<9x64xf32>) -> tensor<9x172xf32> {
  %w = heddle.weight_ref @w64x172 : tensor<64x172xbf16>
  %v = heddle.cast %w : tensor<64x172xbf16> -> tensor<64x172xf32>
  %y = heddle.matmul %x, %v : tensor<9x64xf32>, tensor<64x172xf32> -> tensor<9x172xf32>
  return %y : tensor<9x172xf32>
}

func.func @tied(%ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x172xf32> {
  %w = heddle.weight_ref @w172x64 : tensor<172x64xbf16>
  %x = heddle.embedding %ids, %w : tensor<?xi32>, tensor<172x64xbf16>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<172x64xbf16>
  return %y : tensor<?x172xf32>
}
