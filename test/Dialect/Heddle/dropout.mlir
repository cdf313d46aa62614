// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<?x64xbf16>, %s: tensor<2xi32>) -> tensor<?x64xbf16> {
  // CHECK: heddle.dropout %{{.*}} rate(1.000000e-01) : tensor<?x64xbf16>
  %0 = heddle.dropout %x rate(0.1) : tensor<?x64xbf16>
  // CHECK: heddle.dropout %{{.*}} rate(0.000000e+00) seed(%{{.*}} : tensor<2xi32>) : tensor<?x64xbf16>
  %1 = heddle.dropout %0 rate(0.0) seed(%s : tensor<2xi32>) : tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}
