// RUN: heddle-opt %s --heddle-resolve-sizes \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// Each result that is used has a buffer.
// CHECK-LABEL: halide.pipeline @two
// CHECK: halide.input @arg0 [40, %length, %batch] : f32
// CHECK: halide.output @generic [40, %length, %batch] to result(0)
// CHECK: halide.output @generic_1 [40, %length, %batch] to result(1)
heddle.kernel @two(%x: tensor<?x?x40xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x40xf32> {heddle.sizes = ["batch", "length"]},
        tensor<?x?x40xf32> {heddle.sizes = ["batch", "length"]}) {
  %y:2 = heddle.generic over ["batch", "length", 40] ins(%x : tensor<?x?x40xf32>)
      maps [affine_map<(b, l, c) -> (b, l, c)>] {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    heddle.yield %a, %n : f32, f32
  } : tensor<?x?x40xf32>, tensor<?x?x40xf32>
  heddle.yield %y#0, %y#1 : tensor<?x?x40xf32>, tensor<?x?x40xf32>
}
