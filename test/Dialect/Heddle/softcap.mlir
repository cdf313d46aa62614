// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @softcap
func.func @softcap(%s: tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32> {
  // CHECK: heddle.softcap %{{.*}} cap(5.000000e+01) : tensor<?x8x?x?xf32>
  %0 = heddle.softcap %s cap(50.0) : tensor<?x8x?x?xf32>
  return %0 : tensor<?x8x?x?xf32>
}
