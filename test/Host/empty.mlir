// RUN: heddle-opt %s --heddle-to-host=target-cpu=x86-64-v4 | FileCheck %s

// A kernel that may have nothing to write is launched where it has something.
// CHECK-LABEL: func.func @rows.run(
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %c6
// CHECK: %[[WRITES:.*]] = arith.cmpi ne, %[[COUNT]], %c0
// CHECK: scf.if %[[WRITES]] {
// CHECK: heddle.dispatch @rows_negf
func.func @rows(%x: tensor<?x6xf32> {heddle.sizes = ["rows"]}) -> tensor<?x6xf32> {
  %y = arith.negf %x : tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// One that always has is launched as it is.
// CHECK-LABEL: func.func @some.run(
// CHECK-NOT: scf.if
// CHECK: heddle.dispatch
// CHECK: return
func.func @some(%x: tensor<?x6xf32> {heddle.sizes = ["rows"]}) -> tensor<?x6xf32>
    attributes {heddle.symbols = [#heddle.symbol<"rows", 1 to 8>]} {
  %y = arith.negf %x : tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// What never has an element takes no kernel.
// CHECK-LABEL: func.func @none.run(
// CHECK-NOT: heddle.dispatch
// CHECK: return
func.func @none(%x: tensor<?x0xf32> {heddle.sizes = ["rows"]}) -> tensor<?x0xf32> {
  %y = arith.negf %x : tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}

// Of a table without elements something is read all the same: there is memory, of a row of the
// table and not less, though the caller need not have any.
// CHECK-LABEL: func.func @past.run(
// CHECK: %[[MEMORY:.*]] = heddle.frame.workspace
// CHECK: %[[PAST:.*]] = memref.view {{.*}} to memref<?x40xf32>
// CHECK: %[[IS_EMPTY:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: %[[NONE:.*]] = memref.view %[[MEMORY]]
// CHECK: arith.select %[[IS_EMPTY]], %[[NONE]], %[[PAST]] : memref<?x40xf32>
// CHECK-LABEL: func.func @past.measure(
// CHECK: %c192{{.*}} = arith.constant 192
func.func @past(%p: tensor<?x40xf32> {heddle.sizes = ["past"]}, %x: tensor<6x40xf32>)
    -> tensor<?x40xf32> {
  %y = heddle.concat %p, %x axis(0) : tensor<?x40xf32>, tensor<6x40xf32> -> tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}
