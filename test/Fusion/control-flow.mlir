// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-form-kernels | FileCheck %s

// No kernel reaches into a loop or out of it: the sum before it is complete when it starts.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[A:.*]] = heddle.launch @loop_activation(
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[V:.*]] = %[[A]])
// CHECK: %[[N:.*]] = heddle.launch @loop_negf(%[[V]])
// CHECK: scf.yield %[[N]]
// CHECK: heddle.launch @loop_addf(%[[R]], %[[A]])
// CHECK: heddle.kernel @loop_activation(%{{.*}}) -> tensor<?x4xf32, #heddle.sizes<"n">>
// CHECK: heddle.kernel @loop_negf(%{{.*}}) -> tensor<?x4xf32, #heddle.sizes<"n">>
func.func @loop(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = heddle.activation relu %x : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %a) -> (tensor<?x4xf32>) {
    %n = arith.negf %v : tensor<?x4xf32>
    scf.yield %n : tensor<?x4xf32>
  }
  %s = arith.addf %r, %a : tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}
