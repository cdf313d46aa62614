// Sums of tiles of rows become calls of functions that multiply in tile registers; sums of one row stay
// as they are.

// RUN: heddlec %s --target-cpu=sapphirerapids --weight-type=int8 --arithmetic=int8 --emit=stmt --quiet | FileCheck %s
// CHECK-LABEL: module name=run_linear
// CHECK: heddle_tile_sums_su(block_sum, (int64)0, (int64)192, arg2, {{.*}}, (int64)300, arg4, {{.*}}, (int64)192, min({{.*}}, 16), 3, 75)
// CHECK: heddle_tile_sums_su(
// CHECK-NOT: heddle_tile_sums
// CHECK: vector_reduce(Add, int32x64((int16x64)widening_mul(

// RUN: heddlec %s --target-cpu=sapphirerapids --weight-type=bf16 --arithmetic=bf16 --emit=stmt --quiet | FileCheck %s --check-prefix=PAIRS
// PAIRS: heddle_tile_sums_bf16(accumulator, (int64)0, (int64)192, arg0, {{.*}}, (int64)600, arg1, {{.*}}, (int64)192, min({{.*}}, 16), 3, 150)

// A step of 16 places, and one of the 11 that are left, in registers that get their shape where the last
// tile had another number of rows.
// RUN: heddlec %s --target-cpu=sapphirerapids --weight-type=int8 --arithmetic=int8 --emit=asm --quiet | FileCheck %s --check-prefix=ASM
// ASM: cmpl
// ASM: ldtilecfg {{.*}}(%r{{[sb]}}p)
// ASM-COUNT-3: tilezero
// ASM: tileloadd {{.*}}, %tmm4
// ASM-COUNT-3: tdpbsud %tmm5, %tmm4,
// ASM: tileloadd {{.*}}, %tmm6
// ASM-COUNT-3: tdpbsud %tmm7, %tmm6,
// ASM-COUNT-3: tilestored
// ASM: tilerelease

// They are what an object needs if it uses them.
// ASM: "amx-bf16,amx-int8,amx-tile,
// RUN: heddlec %s --target-cpu=sapphirerapids --emit=asm --quiet | FileCheck %s --check-prefix=FLOATS
// FLOATS: .asciz "avx,avx2,
// FLOATS-NOT: amx

// RUN: heddlec %s --target-cpu=sapphirerapids,-amx-bf16 --weight-type=int8 --arithmetic=int8 --emit=stmt --quiet | FileCheck %s --check-prefix=NONE
// NONE-NOT: heddle_tile_sums

// RUN: heddlec %s --target-cpu=sapphirerapids --weight-type=int8 --arithmetic=int8 --emit=schedule --quiet > %t.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULE < %t.mlir
// SCHEDULE: halide.compute_at @accumulator @{{.*}} "row"
// SCHEDULE: halide.compute_at @block_sum @{{.*}} "tile"
// SCHEDULE: halide.store_in @block_sum amx_tile
// Of two products in a kernel, whose second has no whole places of four bytes, none is in tiles: an epilogue
// that takes rows one by one would read the second's columns again for each.
// SCHEDULE-LABEL: halide.schedule @mixed_linear
// SCHEDULE-NOT: amx_tile
// RUN: not heddlec %s --target-cpu=icelake-server --weight-type=int8 --arithmetic=int8 --schedule=%t.mlir --emit=stmt --quiet 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: 'halide.pipeline' op keeps a func in amx_tile, and 'icelake-server' has no tile registers

// Tiles of more rows than a register has are loops.
// RUN: sed 's/"row") by 16/"row") by 32/' %t.mlir > %t.high.mlir
// RUN: heddlec %s --target-cpu=sapphirerapids --weight-type=int8 --arithmetic=int8 --schedule=%t.high.mlir --emit=stmt --quiet | FileCheck %s --check-prefix=NONE

// So are sums of one func inside of what tile registers should have of another one.
// RUN: sed 's/store_in @accumulator .*/store_in @accumulator amx_tile/; s/store_in @block_sum amx_tile/store_in @block_sum stack/' %t.mlir > %t.other.mlir
// RUN: heddlec %s --target-cpu=sapphirerapids --weight-type=int8 --arithmetic=int8 --schedule=%t.other.mlir --emit=stmt --quiet | FileCheck %s --check-prefix=NEITHER
// NEITHER-NOT: heddle_tile_

heddle.weight @w = dense<0.02> : tensor<96x300xf32>
func.func @run(%x: tensor<?x300xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x300xf32>
  %y = heddle.linear %x, %w : tensor<?x300xf32>, tensor<96x300xf32>
  return %y : tensor<?x96xf32>
}

heddle.weight @u = dense<0.02> : tensor<96x298xf32>
func.func @mixed(%x: tensor<?x300xf32> {heddle.sizes = ["n"]}, %y: tensor<?x298xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x300xf32>
  %u = heddle.weight_ref @u : tensor<96x298xf32>
  %0 = heddle.linear %x, %w : tensor<?x300xf32>, tensor<96x300xf32>
  %1 = heddle.linear %y, %u : tensor<?x298xf32>, tensor<96x298xf32>
  %2 = arith.mulf %0, %1 : tensor<?x96xf32>
  return %2 : tensor<?x96xf32>
}
