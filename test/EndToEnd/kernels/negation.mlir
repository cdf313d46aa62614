// The sign of what is negated, zeros too, of which --verify draws both.
//
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified once: 3 kernels, worst error 0 of tolerance 0
// CHECK: verified chained: 1 kernels, worst error 0 of tolerance 0
// CHECK: verified divided: 1 kernels

func.func @once(%x: tensor<70xf32>, %y: tensor<70xf16>, %z: tensor<70xbf16>)
    -> (tensor<70xf32>, tensor<70xf16>, tensor<70xbf16>) {
  %0 = arith.negf %x : tensor<70xf32>
  %1 = arith.negf %y : tensor<70xf16>
  %2 = arith.negf %z : tensor<70xbf16>
  return %0, %1, %2 : tensor<70xf32>, tensor<70xf16>, tensor<70xbf16>
}

func.func @chained(%x: tensor<70xf32>) -> tensor<70xf32> {
  %0 = arith.negf %x : tensor<70xf32>
  %1 = arith.negf %0 : tensor<70xf32>
  %2 = math.absf %1 : tensor<70xf32>
  %3 = arith.negf %2 : tensor<70xf32>
  return %3 : tensor<70xf32>
}

// -infinity of 0.
func.func @divided(%x: tensor<70xf32>) -> tensor<70xf32> {
  %one = arith.constant dense<1.0> : tensor<70xf32>
  %none = arith.constant dense<0.0> : tensor<70xf32>
  %zero = arith.mulf %x, %none : tensor<70xf32>
  %0 = arith.negf %zero : tensor<70xf32>
  %1 = arith.divf %one, %0 : tensor<70xf32>
  return %1 : tensor<70xf32>
}
