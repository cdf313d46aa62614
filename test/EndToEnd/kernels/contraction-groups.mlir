// Groups of blocks of rows: of one block, of blocks that do and do not fill the last group, and of
// rows that are not known.

// A device's products have other configurations.
// UNSUPPORTED: device
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: bash -c 'for n in one full rest any; do echo "heddle.configure @${n}_linear #heddle.product_tiles<rows = 6, columns = 16, vector = 8, depth = 2048, block = 2, task = 1, group = 3>"; done > groups.mlir'
// RUN: heddlec %s --weights=weights --target-cpu=x86-64-v3 --schedule=groups.mlir --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --weights=weights --target-cpu=x86-64-v3 --schedule=groups.mlir --emit=schedule | FileCheck %s --check-prefix=SCHEDULE

// CHECK: verified one: 1 kernel
// CHECK: verified full: 1 kernel
// CHECK: verified rest: 1 kernel
// CHECK: verified any: 1 kernel

// SCHEDULE: halide.schedule @full_linear
// SCHEDULE: halide.split @[[Y:.*]] "block" into ("block_group", "block") by 3 tail(guard_with_if)
// SCHEDULE-NEXT: halide.reorder @[[Y]] ["lane", "row", "tile", "block", "panel", "block_group"]
// SCHEDULE: halide.fuse @[[Y]] ("block", "panel") into "task_of_group"
// SCHEDULE-NEXT: halide.fuse @[[Y]] ("task_of_group", "block_group") into "task"
// SCHEDULE-NEXT: halide.parallel @[[Y]] "task"

heddle.weight @w from "w" : tensor<64x40xf32>
func.func @one(%x: tensor<11x40xf32>) -> tensor<11x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x40xf32>
  %y = heddle.linear %x, %w : tensor<11x40xf32>, tensor<64x40xf32>
  return %y : tensor<11x64xf32>
}
func.func @full(%x: tensor<72x40xf32>) -> tensor<72x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x40xf32>
  %y = heddle.linear %x, %w : tensor<72x40xf32>, tensor<64x40xf32>
  return %y : tensor<72x64xf32>
}
func.func @rest(%x: tensor<121x40xf32>) -> tensor<121x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x40xf32>
  %y = heddle.linear %x, %w : tensor<121x40xf32>, tensor<64x40xf32>
  return %y : tensor<121x64xf32>
}
func.func @any(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %w = heddle.weight_ref @w : tensor<64x40xf32>
  %y = heddle.linear %x, %w : tensor<?x40xf32>, tensor<64x40xf32>
  return %y : tensor<?x64xf32>
}
