// RUN: heddle-opt %s --heddle-hoist-constants | FileCheck %s

// CHECK: heddle.weight @constant = dense<[1.0{{.*}}, 2.0{{.*}}]> : tensor<2xf32>
// CHECK: heddle.weight @constant_{{.*}} = dense<[1, 4294967296]> : tensor<2xi64>
// CHECK-NOT: heddle.weight
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: heddle.weight_ref @constant
func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = arith.addf %x, %a : tensor<2xf32>
  %z = arith.mulf %y, %b : tensor<2xf32>
  return %z : tensor<2xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK: heddle.weight_ref @constant_{{.*}} : tensor<2xi64>
func.func @integers(%x: tensor<2xi64>) -> tensor<2xi64> {
  %a = arith.constant dense<[1, 4294967296]> : tensor<2xi64>
  %y = arith.addi %x, %a : tensor<2xi64>
  return %y : tensor<2xi64>
}

// CHECK-LABEL: func.func @stays
// CHECK: arith.constant dense<1.0{{.*}}> : tensor<2xf32>
func.func @stays(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = arith.constant dense<1.0> : tensor<2xf32>
  %y = arith.addf %x, %a : tensor<2xf32>
  return %y : tensor<2xf32>
}
