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

// A tensor that a loop inserts into is copied once, before the loop, and then stays where it is;
// the part is copied, row by row, as far as it lies inside.
// CHECK-LABEL: func.func @insert.run(
// CHECK: %[[X:.*]] = heddle.frame.argument %{{.*}}[0]
// CHECK: %[[OWN:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<?xi8>
// CHECK: heddle.descriptors
// CHECK: %[[FROM:.*]] = memref.view %[[X]]
// CHECK: %[[TO:.*]] = memref.view %[[OWN]]
// CHECK: memref.copy %[[FROM]], %[[TO]]
// CHECK: %[[R:.*]]:3 = scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%[[ALL:.*]] = %[[OWN]], %{{.*}} = %[[OWN]], %{{.*}} = %[[OWN]])
// CHECK-NOT: memref.copy
// CHECK: heddle.dispatch
// CHECK: %[[LOW:.*]] = arith.maxsi %[[I]], %{{.*}}
// CHECK: %[[START:.*]] = arith.minsi %[[LOW]], %{{.*}}
// CHECK: scf.for
// CHECK: %[[PART:.*]] = memref.view
// CHECK: %[[PLACE:.*]] = memref.view %[[ALL]]
// CHECK: memref.copy %[[PART]], %[[PLACE]]
// CHECK: }
// CHECK-NOT: memref.copy
// CHECK: scf.yield %[[ALL]]
func.func @insert(%x: tensor<3x?x4xf32> {heddle.sizes = ["n"]}) -> tensor<3x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<3x?x4xf32>) {
    %e = tensor.extract_slice %a[0, %i, 0] [3, 1, 4] [1, 1, 1] : tensor<3x?x4xf32> to tensor<3x1x4xf32>
    %sum = arith.addf %e, %e : tensor<3x1x4xf32>
    %next = heddle.insert %sum into %a at %i axis(1) : tensor<3x1x4xf32> into tensor<3x?x4xf32>
    scf.yield %next : tensor<3x?x4xf32>
  }
  return %r : tensor<3x?x4xf32>
}

// Where the tensor is handed on, too, all of it is copied in every step.
// CHECK-LABEL: func.func @insert_copied.run(
// CHECK: scf.for
// CHECK: memref.copy
// CHECK: scf.for
// CHECK: memref.copy
// CHECK: }
func.func @insert_copied(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
    %e = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %e, %e : tensor<1x4xf32>
    %next = heddle.insert %sum into %a at %i axis(0) : tensor<1x4xf32> into tensor<3x4xf32>
    scf.yield %next, %a : tensor<3x4xf32>, tensor<3x4xf32>
  }
  return %r#0, %r#1 : tensor<3x4xf32>, tensor<3x4xf32>
}
