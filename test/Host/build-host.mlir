// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=host | FileCheck %s
// RUN: heddle-opt %s --heddle-to-host=target-cpu=x86-64-v4 | FileCheck %s

// A kernel is known by what it takes.
// CHECK-LABEL: module @heddle.host
// CHECK: heddle.signature @chain_linear (i32, memref<?x64xf32>, memref<1x64x64xf32>, memref<?x64xf32>)

// Three values, of which two are alive at once.
// CHECK-LABEL: func.func @chain.run(
// CHECK-SAME: %[[FRAME:.*]]: !heddle.frame) -> i32
// CHECK: %[[BATCH:.*]] = heddle.frame.size %[[FRAME]][0]
// CHECK: %[[LENGTH:.*]] = heddle.frame.size %[[FRAME]][1]
// CHECK: %[[ROWS:.*]] = arith.muli %[[BATCH]], %[[LENGTH]] : index
// CHECK: %[[SLOT:.*]] = arith.muli %[[ROWS]], %c256
// CHECK: %[[X:.*]] = heddle.frame.argument %[[FRAME]][0] bytes(%{{.*}}) : memref<?xi8>
// CHECK: %[[WEIGHTS:.*]] = heddle.frame.weights %[[FRAME]] : memref<16384xi8>
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %c512
// CHECK: %[[SPACE:.*]] = heddle.frame.workspace %[[FRAME]] bytes(%[[BYTES]]) : memref<?xi8>
// CHECK: memref.view %[[SPACE]][%c0][%[[SLOT]]] : memref<?xi8> to memref<?xi8>
// CHECK: memref.view %[[SPACE]][%[[SLOT]]][%[[SLOT]]] : memref<?xi8> to memref<?xi8>
// CHECK-NOT: heddle.frame.workspace
// CHECK: %[[ROOM:.*]] = heddle.descriptors : <3>
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK: heddle.dispatch @chain_linear number(0) in %[[FRAME]], %[[ROOM]](%[[COUNT]], {{.*}}, {{.*}}, %[[A:.*]]) :
// CHECK: heddle.dispatch @chain_linear number(1) in %[[FRAME]], %[[ROOM]](%[[COUNT]], %[[A]], %{{.*}}, %[[B:.*]]) :
// CHECK: heddle.dispatch @chain_linear number(2) in %[[FRAME]], %[[ROOM]](%[[COUNT]], %[[B]], %{{.*}}, %[[A]]) :
// CHECK: heddle.dispatch @chain_linear number(3) in
// CHECK: return %c0_i32 : i32

// What is measured is checked for overflow; what kernels count, for 32 bits.
// CHECK-LABEL: func.func @chain.measure(
// CHECK-SAME: %[[SIZES:.*]]: memref<2xi64>, %[[ARGUMENT:.*]]: i32, %[[RESULT:.*]]: memref<9xi64>) -> i32
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[LOW]], %c63_i64
// CHECK: arith.cmpi eq, %[[HIGH]], %[[SIGN]]
// CHECK: memref.store %{{.*}}, %[[RESULT]][%c0]
// CHECK: case 1 {
// CHECK: default {
// CHECK: arith.cmpi sgt, %{{.*}}, %c2147479552_i64
heddle.weight @w = dense<0.1> : tensor<64x64xf32>
func.func @chain(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32>
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 65536, counts batch>, #heddle.symbol<"length", 1 to 65536, counts length>]} {
  %w = heddle.weight_ref @w : tensor<64x64xf32>
  %a = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  %b = heddle.linear %a, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  %c = heddle.linear %b, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  %d = heddle.linear %c, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  return %d : tensor<?x?x64xf32>
}
