// Experts whose matrices no cache keeps: panels of one pass the rows of several choices, of
// which the last block has fewer.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --quiet -o kernel.o | FileCheck %s
// RUN: %if !device %{ heddlec %s --weights=weights --weight-type=bf16 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 --quiet -o kernel.o | FileCheck %s %}
// CHECK: verified {{.*}} as a whole

// PoCL takes long for these kernels, too: on a device with --slow alone.
// UNSUPPORTED: brief

heddle.weight @w from "w" : tensor<3x1100x610xf32>

func.func @run(%x: tensor<?x610xf32> {heddle.sizes = ["n"]},
               %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x1100xf32> {
  %w = heddle.weight_ref @w : tensor<3x1100x610xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x610xf32>, tensor<?x2xi32>, tensor<3x1100x610xf32>
  return %y : tensor<?x2x1100xf32>
}
