// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=stmt -o %t
// RUN: FileCheck %s < %t
// Every buffer inside has a constant size, and no bounds are left open.
// RUN: not grep explicit_bounds %t
// RUN: grep "allocate " %t | not grep -vE "\[float32( \* [0-9]+)+\]( in (Register|Stack))?$"

// CHECK: module name=forward_linear, target=x86-64-linux-{{.*}}avx512
// CHECK: external func forward_linear_par_for_result_s0_d1_panel_task (__user_context, result.s0.d1.panel.task
// CHECK: for (result.s0.d0.{{.*}}tile, 0,
// CHECK: allocate accumulator[float32 * 384] in Register
// k is the only loop inside a tile.
// CHECK: for (accumulator.s1.r{{[^,]*}}, 0, 64)
// CHECK-NOT: for (
// CHECK: consume accumulator
// CHECK: if (2 <= size0)
// CHECK: halide_do_par_for({{.*}}forward_linear_par_for_result_s0_d1_panel_task, 0,
heddle.weight @w from "w" : tensor<96x64xf32>
func.func @forward(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x?x96xf32>
}
