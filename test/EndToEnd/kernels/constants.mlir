// Constants that are in memory: carried by a loop, returned, and read by a layer.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified carried: 2 kernels
func.func @carried(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %one) -> (tensor<4xf32>) {
    %y = arith.addf %a, %x : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// CHECK: verified returned: 1 kernel
func.func @returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  return %one : tensor<4xf32>
}
// CHECK: verified layer: {{[0-9]+}} kernel
func.func @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant dense<-1.0> : tensor<4xf32>
  %y = heddle.activation silu %one : tensor<4xf32>
  %z = arith.addf %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
// CHECK: verified table: {{[0-9]+}} kernel
func.func @table(%i: tensor<3xi32>) -> tensor<3xf32> {
  %t = arith.constant dense<0.125> : tensor<7xf32>
  %y = heddle.gather %t, %i axis(0) : tensor<7xf32>, tensor<3xi32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
// Few roundings, whose signs may cancel each other in the reference.
// CHECK: verified summed:
func.func @summed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<2.0> : tensor<2xf32>
  %d = arith.addf %c, %c : tensor<2xf32>
  %y = arith.addf %d, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
