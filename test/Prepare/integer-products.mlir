// Products of integers of 8 bits and weights, less zeros, which a cast makes floats of.

// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-integer-products | FileCheck %s

// CHECK-DAG: heddle.weight @[[ONE:.*]] = dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-DAG: heddle.weight @[[ONES:.*]] = dense<1.000000e+00> : tensor<32x1xf32>
heddle.weight @w from "w" : tensor<64x32xi8>
heddle.weight @u from "u" : tensor<64x32xui8>
heddle.weight @t from "t" : tensor<32xui8>

// CHECK-LABEL: func.func @zero
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x64xui8{{.*}}, %[[Z:[a-z0-9]+]]: tensor<ui8>
// CHECK: %[[W:.*]] = heddle.weight_ref @w
// CHECK: %[[ZERO:.*]] = heddle.reshape %{{.*}} to [] : tensor<i32>
// CHECK: %[[SIGNED:.*]] = heddle.generic over ["n", 64] ins(%[[A]] : {{.*}}
// CHECK: arith.constant -128 : i8
// CHECK: %[[PLACE:.*]] = arith.addi %[[ZERO]]
// CHECK: %[[ONE_REF:.*]] = heddle.weight_ref @[[ONE]]
// CHECK: %[[SCALES:.*]] = heddle.broadcast %[[ONE_REF]] to ["n", 1]
// CHECK: %[[X:.*]] = heddle.dequantize %[[SIGNED]], %[[SCALES]] axis(1)
// CHECK: %[[T:.*]] = heddle.transpose %[[W]] permutation [1, 0]
// CHECK: %[[ONES_REF:.*]] = heddle.weight_ref @[[ONES]]
// CHECK: %[[M:.*]] = heddle.dequantize %[[T]], %[[ONES_REF]] axis(1)
// CHECK: %[[Y:.*]] = heddle.linear %[[X]], %[[M]]
// CHECK: %[[COLUMNS:.*]] = heddle.reduce sum %{{.*}} axes [0]
// CHECK: %[[F:.*]] = heddle.cast %[[PLACE]]
// CHECK: heddle.generic over ["n", 32] ins(%[[Y]], %[[F]], %[[COLUMNS]]
// CHECK: return
func.func @zero(%a: tensor<?x64xui8> {heddle.sizes = ["n"]}, %z: tensor<ui8>) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @w : tensor<64x32xi8>
  %aw = heddle.cast %a : tensor<?x64xui8> -> tensor<?x64xi32>
  %zw = heddle.cast %z : tensor<ui8> -> tensor<i32>
  %zs = heddle.broadcast %zw to ["n", 64] : tensor<i32> -> tensor<?x64xi32>
  %d = arith.subi %aw, %zs : tensor<?x64xi32>
  %ww = heddle.cast %w : tensor<64x32xi8> -> tensor<64x32xi32>
  %p = heddle.matmul %d, %ww : tensor<?x64xi32>, tensor<64x32xi32> -> tensor<?x32xi32>
  %y = heddle.cast %p : tensor<?x32xi32> -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// Zeros of columns multiply the sums of rows.
// CHECK-LABEL: func.func @columns
// CHECK: %[[Y:.*]] = heddle.linear %[[X:.*]], %
// CHECK: %[[ZEROS:.*]] = heddle.cast %{{.*}} : tensor<32xi32> -> tensor<32xf32>
// CHECK: %[[ROWS:.*]] = heddle.reduce sum %[[X]] axes [1] keep_sizes
// CHECK: heddle.generic over ["n", 32] ins(%[[Y]], %[[ROWS]], %[[ZEROS]]
// CHECK: return
func.func @columns(%a: tensor<?x64xi8> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @u : tensor<64x32xui8>
  %t = heddle.weight_ref @t : tensor<32xui8>
  %aw = heddle.cast %a : tensor<?x64xi8> -> tensor<?x64xi32>
  %ww = heddle.cast %w : tensor<64x32xui8> -> tensor<64x32xi32>
  %tw = heddle.cast %t : tensor<32xui8> -> tensor<32xi32>
  %ts = heddle.broadcast %tw to [64, 32] : tensor<32xi32> -> tensor<64x32xi32>
  %m = arith.subi %ww, %ts : tensor<64x32xi32>
  %p = heddle.matmul %aw, %m : tensor<?x64xi32>, tensor<64x32xi32> -> tensor<?x32xi32>
  %y = heddle.cast %p : tensor<?x32xi32> -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// Of two inputs, of rows that have zeros of their own, and as integers.
// CHECK-LABEL: func.func @others
// CHECK-NOT: heddle.linear
// CHECK: return
func.func @others(%a: tensor<?x64xi8> {heddle.sizes = ["n"]}, %b: tensor<64x32xi8>, %z: tensor<?x1xi8> {heddle.sizes = ["n"]})
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xi32>) {
  %w = heddle.weight_ref @w : tensor<64x32xi8>
  %aw = heddle.cast %a : tensor<?x64xi8> -> tensor<?x64xi32>
  %bw = heddle.cast %b : tensor<64x32xi8> -> tensor<64x32xi32>
  %ww = heddle.cast %w : tensor<64x32xi8> -> tensor<64x32xi32>
  %p = heddle.matmul %aw, %bw : tensor<?x64xi32>, tensor<64x32xi32> -> tensor<?x32xi32>
  %y = heddle.cast %p : tensor<?x32xi32> -> tensor<?x32xf32>
  %zw = heddle.cast %z : tensor<?x1xi8> -> tensor<?x1xi32>
  %zs = heddle.broadcast %zw to ["n", 64] : tensor<?x1xi32> -> tensor<?x64xi32>
  %d = arith.subi %aw, %zs : tensor<?x64xi32>
  %q = heddle.matmul %d, %ww : tensor<?x64xi32>, tensor<64x32xi32> -> tensor<?x32xi32>
  %v = heddle.cast %q : tensor<?x32xi32> -> tensor<?x32xf32>
  %r = heddle.matmul %aw, %ww : tensor<?x64xi32>, tensor<64x32xi32> -> tensor<?x32xi32>
  return %y, %v, %r : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xi32>
}
