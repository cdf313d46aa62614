// RUN: heddle-opt %s --heddle-to-schedule=target-cpu=icelake-server | FileCheck %s

heddle.weight @large_matrices = dense<0.5> : tensor<4x640x576xf32>
heddle.weight @small_matrices = dense<0.5> : tensor<4x64x96xf32>

// Panels of a matrix that no private cache keeps pass the rows of several choices.
// CHECK: halide.pipeline @large_expert_linear_8 {{.*}}product_tiles<rows = 6, {{.*}}block = 20
// CHECK: halide.split @result "d1" into ("tile", "row") by 6
// CHECK: halide.split @result "d0" into ("block", "choice") by 10 tail(guard_with_if)
// CHECK: halide.reorder @result ["lane", "row", "tile", "choice", "panel", "block"]
// CHECK: halide.fuse @result ("panel", "block") into "task"
// CHECK: halide.parallel @result "task"
func.func @large(%x: tensor<?x576xf32> {heddle.sizes = ["n"]},
                 %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x640xf32> {
  %w = heddle.weight_ref @large_matrices : tensor<4x640x576xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x576xf32>, tensor<?x2xi32>, tensor<4x640x576xf32>
  return %y : tensor<?x2x640xf32>
}

// In a step of a decoder neighbours have different ones, and a small one stays in the cache.
// CHECK: halide.pipeline @step_expert_linear_4 {{.*}}product_tiles<rows = 4, {{.*}}block = 1,
// CHECK-NOT: "choice"
// CHECK: halide.parallel @result "d0"
// CHECK: halide.pipeline @small_expert_linear_1 {{.*}}product_tiles<rows = 6, {{.*}}block = 2,
// CHECK-NOT: "choice"
// CHECK: halide.parallel @result "d0"
func.func @step(%x: tensor<?x1x576xf32> {heddle.sizes = ["n"]},
                %e: tensor<?x1x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x1x2x640xf32> {
  %w = heddle.weight_ref @large_matrices : tensor<4x640x576xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x1x576xf32>, tensor<?x1x2xi32>, tensor<4x640x576xf32>
  return %y : tensor<?x1x2x640xf32>
}

func.func @small(%x: tensor<?x96xf32> {heddle.sizes = ["n"]},
                 %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x64xf32> {
  %w = heddle.weight_ref @small_matrices : tensor<4x64x96xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<?x96xf32>, tensor<?x2xi32>, tensor<4x64x96xf32>
  return %y : tensor<?x2x64xf32>
}
