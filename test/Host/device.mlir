// What the host program does itself with the memory of a device.
// RUN: heddlec %s --target=opencl --emit=host | FileCheck %s
// RUN: heddlec %s --target=opencl --emit=host | heddle-opt --convert-scf-to-cf --heddle-lower-host | FileCheck %s --check-prefix=LLVM

// CHECK: module @heddle.host attributes {heddle.target = #heddle.target<{{.*}}device = "opencl">}
// CHECK-LABEL: func.func @branch.run(
// CHECK: %[[ROOM:.*]] = heddle.descriptors : <[[N:[0-9]+]]>
// CHECK-NOT: memref.load
// CHECK: %[[K:.*]] = heddle.frame.load %{{.*}}[%{{.*}}] in %[[FRAME:.*]], %[[ROOM]] : memref<?xi32>, <[[N]]>
// CHECK: arith.cmpi eq, %[[K]]
// CHECK: heddle.dispatch @branch_addf number(0)
// CHECK: } else {
// CHECK-NOT: memref.copy
// CHECK: heddle.frame.copy %{{.*}}, %{{.*}} in %[[FRAME]] : memref<?xi8>, memref<?xi8>
// CHECK: heddle.frame.store %[[K]], %{{.*}}[%{{.*}}] in %[[FRAME]], %[[ROOM]] : memref<?xi32>, <[[N]]>

// A number is read by a copy to the host, which the call waits for.
// LLVM-LABEL: llvm.func @branch.run(
// LLVM: %[[NUMBER:.*]] = llvm.getelementptr %{{.*}}[0, 4]
// LLVM: %[[BYTES:.*]] = llvm.mlir.constant(4 : i64)
// LLVM: llvm.getelementptr %arg0[0, 6]
// LLVM: %[[COPY:.*]] = llvm.load
// LLVM: %[[TO_HOST:.*]] = llvm.mlir.constant(1 : i32)
// LLVM: %[[STATUS:.*]] = llvm.call %[[COPY]](%arg0, %[[NUMBER]], %{{.*}}, %[[BYTES]], %[[TO_HOST]])
// LLVM: llvm.cond_br
// LLVM: llvm.return %[[STATUS]]
// LLVM: %[[K:.*]] = llvm.load %[[NUMBER]] : !llvm.ptr -> i32
// LLVM: %[[ON_DEVICE:.*]] = llvm.mlir.constant(2 : i32)
// LLVM: llvm.call %{{.*}}(%arg0, %{{.*}}, %{{.*}}, %{{.*}}, %[[ON_DEVICE]])
// LLVM: llvm.store %[[K]], %[[NUMBER:.*]] : i32, !llvm.ptr
// LLVM: %[[TO_DEVICE:.*]] = llvm.mlir.constant(0 : i32)
// LLVM: llvm.call %{{.*}}(%arg0, %{{.*}}, %[[NUMBER]], %{{.*}}, %[[TO_DEVICE]])
func.func @branch(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %k: tensor<1xi32>)
    -> (tensor<?x64xf32>, tensor<i32>) {
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
  %n = heddle.from_number %flag : i32 -> tensor<i32>
  return %r, %n : tensor<?x64xf32>, tensor<i32>
}
