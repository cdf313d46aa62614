// RUN: heddle-opt %s --heddle-to-host=target-cpu=x86-64-v4 | FileCheck %s

// Buffers are of the bytes that their elements take: an i1 takes one.
// CHECK: heddle.signature @f_cmpi (i32, memref<?x6xi64>, memref<?x6xi1>)
// CHECK-LABEL: func.func @f.run(
// CHECK: %[[ROWS:.*]] = heddle.frame.size
// CHECK: %[[COUNT:.*]] = arith.muli %[[ROWS]], %c6
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %c48
// CHECK: %[[X:.*]] = heddle.frame.argument %{{.*}}[0] bytes(%[[BYTES]])
// CHECK: %[[Y:.*]] = heddle.frame.argument %{{.*}}[1] bytes(%[[COUNT]])
// CHECK: memref.view %[[X]][%{{.*}}][%[[ROWS]]] : memref<?xi8> to memref<?x6xi64>
// CHECK: memref.view %[[Y]][%{{.*}}][%[[ROWS]]] : memref<?xi8> to memref<?x6xi1>
func.func @f(%x: tensor<?x6xi64> {heddle.sizes = ["rows"]}) -> tensor<?x6xi1> {
  %y = arith.cmpi slt, %x, %x : tensor<?x6xi64>
  return %y : tensor<?x6xi1>
}
