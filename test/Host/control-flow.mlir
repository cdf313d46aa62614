// RUN: heddlec %s --emit=host | FileCheck %s

// Two parts of the workspace and the caller's memory change hands; nothing is copied but the
// result, which may be in either.
// CHECK-LABEL: func.func @loop.run(
// CHECK: %[[X:.*]] = heddle.frame.argument %{{.*}}[0]
// CHECK: %[[SPACE:.*]] = heddle.frame.workspace
// CHECK: %[[P:.*]] = memref.view %[[SPACE]]
// CHECK: %[[Q:.*]] = memref.view %[[SPACE]]
// CHECK: %[[Y:.*]] = heddle.frame.argument %{{.*}}[1]
// CHECK: heddle.descriptors
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[NOW:.*]] = %[[X]], %[[FREE:.*]] = %[[P]], %[[NEXT:.*]] = %[[Q]])
// CHECK-NOT: memref.copy
// CHECK: memref.view %[[NOW]]
// CHECK: memref.view %[[NEXT]]
// CHECK: heddle.dispatch @loop_addf number(0)
// CHECK: scf.yield %[[NEXT]], %[[NEXT]], %[[FREE]]
// CHECK: }
// CHECK: %[[FROM:.*]] = memref.view %[[R]]#0[%c0][%[[BYTES:.*]]]
// CHECK: %[[TO:.*]] = memref.view %[[Y]][%c0][%[[BYTES]]]
// CHECK: memref.copy %[[FROM]], %[[TO]]
func.func @loop(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<?x64xf32>) {
    %y = arith.addf %a, %a : tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// Each branch writes the output.
// CHECK-LABEL: func.func @branch.run(
// CHECK: %[[Y:.*]] = heddle.frame.argument %{{.*}}[2]
// CHECK: %[[X:.*]] = heddle.frame.argument %{{.*}}[0]
// CHECK: %[[K:.*]] = memref.load
// CHECK: %[[IF:.*]] = arith.cmpi eq, %[[K]]
// CHECK: scf.if %[[IF]] {
// CHECK: memref.view %[[Y]]
// CHECK: heddle.dispatch @loop_addf number(0)
// CHECK: } else {
// CHECK: %[[FROM:.*]] = memref.view %[[X]]
// CHECK: %[[TO:.*]] = memref.view %[[Y]]
// CHECK: memref.copy %[[FROM]], %[[TO]]
// CHECK: }
// CHECK-NOT: memref.copy
// CHECK: return
func.func @branch(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %k: tensor<1xi32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %flag = tensor.extract %k[%c0] : tensor<1xi32>
  %isZero = arith.cmpi eq, %flag, %zero : i32
  %r = scf.if %isZero -> tensor<?x64xf32> {
    %y = arith.addf %x, %x : tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  } else {
    scf.yield %x : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// The step that a loop is at is stored for the kernel that reads it.
// CHECK-LABEL: func.func @step.run(
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} {
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[MEMORY:.*]] = memref.view {{.*}} : memref<?xi8> to memref<?xi64>
// CHECK: memref.store %[[NUMBER]], %[[MEMORY]][%{{.*}}]
// CHECK: heddle.dispatch
func.func @step(%x: tensor<9xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %y) -> (tensor<1xf32>) {
    %e = tensor.extract_slice %x[%i] [1] [1] : tensor<9xf32> to tensor<1xf32>
    %sum = arith.addf %a, %e : tensor<1xf32>
    scf.yield %sum : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}
