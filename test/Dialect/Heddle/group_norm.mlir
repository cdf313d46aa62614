// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @group_norm
func.func @group_norm(%x: tensor<?x12x?x7xbf16>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<?x12x?x7xbf16> {
  // CHECK: heddle.group_norm %{{.*}}, %{{.*}}, %{{.*}} groups(4) epsilon(1.000000e-05) : tensor<?x12x?x7xbf16>, tensor<12xf32>, tensor<12xf32>
  %y = heddle.group_norm %x, %w, %b groups(4) epsilon(1.0e-5)
     : tensor<?x12x?x7xbf16>, tensor<12xf32>, tensor<12xf32>
  return %y : tensor<?x12x?x7xbf16>
}
