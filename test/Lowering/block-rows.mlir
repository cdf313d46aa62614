// Rows for the blocks of a device.
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target="cpu=x86-64-v4 device=opencl" --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// Lanes count the elements of all dimensions where the last one is short: 28 of 784.
// CHECK-LABEL: halide.pipeline @image
// CHECK: halide.update @partial(%[[LANE:.*]], %{{.*}}) reduce(%[[GROUP:.*]] < 6)
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %{{.*}}128
// CHECK: %[[E:.*]] = arith.addi %[[FIRST]], %[[LANE]]
// CHECK: %[[X:.*]] = halide.mod %[[E]], %{{.*}}28
// CHECK: %[[Y:.*]] = arith.floordivsi %[[E]], %{{.*}}28
// CHECK: halide.access @arg0(%[[X]], %[[Y]], %
heddle.kernel @image(%x: tensor<9x28x28xf32>) -> tensor<9x28x28xf32> {
  %s = heddle.generic over [9] reduce [28, 28] initial [0.0 : f32] ins(%x : tensor<9x28x28xf32>)
      maps [affine_map<(c, y, x) -> (c, y, x)>] {
  ^bb0(%a: f32, %sum: f32):
    %t = arith.addf %sum, %a : f32
    heddle.yield %t : f32
  } : tensor<9xf32>
  %y = heddle.generic over [9, 28, 28] ins(%x, %s : tensor<9x28x28xf32>, tensor<9xf32>)
      maps [affine_map<(c, y, x) -> (c, y, x)>, affine_map<(c, y, x) -> (c)>] {
  ^bb0(%a: f32, %sum: f32):
    %d = arith.divf %a, %sum : f32
    heddle.yield %d : f32
  } : tensor<9x28x28xf32>
  heddle.yield %y : tensor<9x28x28xf32>
}

// So few that a thread sums them up itself.
// CHECK-LABEL: halide.pipeline @window
// CHECK-NOT: @partial
// CHECK: halide.update @fold({{.*}}) reduce(%{{.*}} < 3, %{{.*}} < 3)
heddle.kernel @window(%x: tensor<9x3x3xf32>) -> tensor<9xf32> {
  %s = heddle.generic over [9] reduce [3, 3] initial [0.0 : f32] ins(%x : tensor<9x3x3xf32>)
      maps [affine_map<(c, y, x) -> (c, y, x)>] {
  ^bb0(%a: f32, %sum: f32):
    %t = arith.addf %sum, %a : f32
    heddle.yield %t : f32
  } : tensor<9xf32>
  heddle.yield %s : tensor<9xf32>
}
