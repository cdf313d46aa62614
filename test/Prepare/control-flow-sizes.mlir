// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<?x4xf32, #heddle.sizes<"n">>) {
// CHECK: %[[Y:.*]] = arith.addf %[[A]], %[[A]] : tensor<?x4xf32, #heddle.sizes<"n">>
// CHECK: scf.yield %[[Y]] : tensor<?x4xf32, #heddle.sizes<"n">>
// CHECK: return %{{.*}} : tensor<?x4xf32, #heddle.sizes<"n">>
func.func @loop(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %y = arith.addf %a, %a : tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<?x4xf32, #heddle.sizes<"n">>) -> tensor<?x4xf32, #heddle.sizes<"n">>
func.func @while(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %k: tensor<1xi32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %r = scf.while (%a = %x) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
    %n = tensor.extract %k[%c0] : tensor<1xi32>
    %goesOn = arith.cmpi sgt, %n, %zero : i32
    scf.condition(%goesOn) %a : tensor<?x4xf32>
  } do {
  ^bb0(%a: tensor<?x4xf32>):
    %y = arith.negf %a : tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @branch(
// CHECK: scf.if %{{.*}} -> (tensor<?x4xf32, #heddle.sizes<"n">>)
func.func @branch(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %true = arith.constant true
  %r = scf.if %true -> tensor<?x4xf32> {
    %y = arith.negf %x : tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Sizes are numbers of control flow, whatever value they are those of.
// CHECK-LABEL: func.func @sizes(
// CHECK-NOT: tensor.dim
// CHECK: %[[N:.*]] = heddle.size "n" : index
// CHECK: %[[TWICE:.*]] = heddle.size "2 * n" : index
// CHECK: %[[END:.*]] = arith.subi %[[TWICE]], %[[N]] : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK: %[[INSIDE:.*]] = heddle.size "n" : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[INSIDE]]
// CHECK-NOT: tensor.dim
func.func @sizes(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %two = heddle.concat %x, %x axis(0) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %twice = tensor.dim %two, %c0 : tensor<?x4xf32>
  %end = arith.subi %twice, %n : index
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %m = tensor.dim %a, %c0 : tensor<?x4xf32>
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %y = arith.addf %b, %b : tensor<?x4xf32>
      scf.yield %y : tensor<?x4xf32>
    }
    scf.yield %s : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
