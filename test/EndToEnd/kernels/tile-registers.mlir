// Products in tile registers (AMX): tails of rows, of columns and of what a register holds, several
// blocks of terms, pairs of bf16, experts, whose codes have a sign, and one row, which has no tile.

// REQUIRES: amx
// UNSUPPORTED: device
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --weight-type=int8 --arithmetic=int8 --verify --quiet -o kernel.o | FileCheck %s
// RUN: heddlec %s --weights=weights --weight-type=bf16 --arithmetic=bf16 --verify --quiet -o kernel.o | FileCheck %s
// RUN: heddlec %s --weights=weights --weight-type=int8:144 --arithmetic=int8 --verify --quiet -o kernel.o | FileCheck %s
// CHECK-COUNT-7: verified {{.*}} as a whole

// As a Zen 4 multiplies, and without anything but vectors.
// RUN: heddlec %s --weights=weights --weight-type=int8 --arithmetic=int8 --target-cpu=native,-amx-tile --verify --quiet -o kernel.o | FileCheck %s

// A kernel of one row needs no tile registers, although others would have them.
// RUN: heddlec %s --weights=weights --weight-type=bf16 --arithmetic=bf16 --emit=shared --quiet -o kernel.so
// RUN: heddle-run verify kernel.so --model=%s --checkpoint=weights --weight-type=bf16 --arithmetic=bf16 --quiet | FileCheck %s
// RUN: sed -n '/^func.func @one/,/^}/p;/^heddle.weight @places/p' %s > one.mlir
// RUN: heddlec one.mlir --weights=weights --weight-type=bf16 --arithmetic=bf16 --emit=shared --quiet -o one.so
// RUN: heddle-run inspect one.so | FileCheck %s --check-prefix=NEEDS
// NEEDS-NOT: amx
// RUN: heddle-run verify one.so --model=one.mlir --checkpoint=weights --weight-type=bf16 --arithmetic=bf16 --quiet | FileCheck %s --check-prefix=ONE
// ONE: verified one as a whole

heddle.weight @tails.w from "tails" : tensor<72x292xf32>
heddle.weight @places.w from "places" : tensor<48x144xf32>
heddle.weight @blocks.w from "blocks" : tensor<56x288xf32>
heddle.weight @deep.w from "deep" : tensor<16x4608xf32>
heddle.weight @bias.w from "bias" : tensor<72xf32>
heddle.weight @experts.w from "experts" : tensor<3x40x160xf32>

func.func @tails(%x: tensor<?x292xf32> {heddle.sizes = ["n"]}) -> tensor<?x72xf32> {
  %w = heddle.weight_ref @tails.w : tensor<72x292xf32>
  %b = heddle.weight_ref @bias.w : tensor<72xf32>
  %y = heddle.linear %x, %w bias(%b : tensor<72xf32>) : tensor<?x292xf32>, tensor<72x292xf32>
  %z = heddle.activation gelu %y : tensor<?x72xf32>
  return %z : tensor<?x72xf32>
}

// Fewer rows than a register has, whatever is given.
func.func @few(%x: tensor<5x144xf32>) -> tensor<5x48xf32> {
  %w = heddle.weight_ref @places.w : tensor<48x144xf32>
  %y = heddle.linear %x, %w : tensor<5x144xf32>, tensor<48x144xf32>
  return %y : tensor<5x48xf32>
}

func.func @rows(%x: tensor<37x288xf32>) -> tensor<37x56xf32> {
  %w = heddle.weight_ref @blocks.w : tensor<56x288xf32>
  %y = heddle.linear %x, %w : tensor<37x288xf32>, tensor<56x288xf32>
  return %y : tensor<37x56xf32>
}

// Two in one kernel.
func.func @two(%x: tensor<?x144xf32> {heddle.sizes = ["n"]}, %y: tensor<?x292xf32> {heddle.sizes = ["n"]}) -> tensor<?x48xf32> {
  %w = heddle.weight_ref @places.w : tensor<48x144xf32>
  %u = heddle.weight_ref @tails.w offsets [8, 0] : tensor<48x292xf32>
  %0 = heddle.linear %x, %w : tensor<?x144xf32>, tensor<48x144xf32>
  %1 = heddle.linear %y, %u : tensor<?x292xf32>, tensor<48x292xf32>
  %2 = heddle.activation silu %0 : tensor<?x48xf32>
  %3 = arith.mulf %2, %1 : tensor<?x48xf32>
  return %3 : tensor<?x48xf32>
}

func.func @deep(%x: tensor<?x4608xf32> {heddle.sizes = ["n"]}) -> tensor<?x16xf32> {
  %w = heddle.weight_ref @deep.w : tensor<16x4608xf32>
  %y = heddle.linear %x, %w : tensor<?x4608xf32>, tensor<16x4608xf32>
  return %y : tensor<?x16xf32>
}

func.func @experts(%x: tensor<?x160xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x40xf32> {
  %w = heddle.weight_ref @experts.w : tensor<3x40x160xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x160xf32>, tensor<?x2xi32>, tensor<3x40x160xf32>
  return %y : tensor<?x2x40xf32>
}

func.func @one(%x: tensor<1x144xf32>) -> tensor<1x48xf32> {
  %w = heddle.weight_ref @places.w : tensor<48x144xf32>
  %y = heddle.linear %x, %w : tensor<1x144xf32>, tensor<48x144xf32>
  return %y : tensor<1x48xf32>
}
