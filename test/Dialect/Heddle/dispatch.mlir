// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK: heddle.signature @k (i32, memref<?x4xf32, strided<[4, 1]>>)
heddle.signature @k(i32, memref<?x4xf32, strided<[4, 1]>>)

// CHECK-LABEL: func.func @f
func.func @f(%frame: !heddle.frame) -> i32 {
  // CHECK: %[[N:.*]] = heddle.frame.size %{{.*}}[0]
  %n = heddle.frame.size %frame[0]
  // CHECK: heddle.frame.argument %{{.*}}[1] bytes(%[[N]]) : memref<?xi8>
  %x = heddle.frame.argument %frame[1] bytes(%n) : memref<?xi8>
  // CHECK: heddle.frame.weights %{{.*}} : memref<64xi8>
  %w = heddle.frame.weights %frame : memref<64xi8>
  // CHECK: heddle.frame.workspace %{{.*}} bytes(%[[N]]) : memref<?xi8>
  %workspace = heddle.frame.workspace %frame bytes(%n) : memref<?xi8>
  // CHECK: heddle.descriptors : <1>
  %room = heddle.descriptors : <1>
  %zero = arith.constant 0 : index
  %rows = arith.index_cast %n : index to i32
  %view = memref.view %x[%zero][%n] : memref<?xi8> to memref<?x4xf32>
  %buffer = memref.cast %view : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  // CHECK: heddle.dispatch @k number(3) in %{{.*}}, %{{.*}}(%{{.*}}, %{{.*}}) : <1>, i32, memref<?x4xf32, strided<[4, 1]>>
  heddle.dispatch @k number(3) in %frame, %room (%rows, %buffer) : <1>, i32, memref<?x4xf32, strided<[4, 1]>>
  // CHECK: heddle.frame.copy %{{.*}}, %{{.*}} in %{{.*}} : memref<64xi8>, memref<?xi8>
  heddle.frame.copy %w, %workspace in %frame : memref<64xi8>, memref<?xi8>
  // CHECK: %[[VALUE:.*]] = heddle.frame.load %{{.*}}[%{{.*}}] in %{{.*}}, %{{.*}} : memref<?xi32>, <1>
  %numbers = memref.view %x[%zero][%n] : memref<?xi8> to memref<?xi32>
  %value = heddle.frame.load %numbers[%zero] in %frame, %room : memref<?xi32>, <1>
  // CHECK: heddle.frame.store %[[VALUE]], %{{.*}}[%{{.*}}] in %{{.*}}, %{{.*}} : memref<?xi32>, <1>
  heddle.frame.store %value, %numbers[%zero] in %frame, %room : memref<?xi32>, <1>
  %status = arith.constant 0 : i32
  return %status : i32
}
