// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: heddle.kernel @linear
// CHECK-SAME: (%{{.*}}: tensor<?x4xf32>, %{{.*}}: tensor<8x4xf32> {heddle.weight}) -> tensor<?x8xf32>
heddle.kernel @linear(%x: tensor<?x4xf32>, %w: tensor<8x4xf32> {heddle.weight}) -> tensor<?x8xf32> {
  %y = heddle.linear %x, %w : tensor<?x4xf32>, tensor<8x4xf32>
  // CHECK: heddle.yield %{{.*}} : tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xf32>
}

// CHECK-LABEL: heddle.kernel @two_results
// CHECK-SAME: -> (tensor<?x4xf32> {heddle.layout = #heddle.layout<panels of 4 along 1>}, tensor<?x4xf32>)
heddle.kernel @two_results(%x: tensor<?x4xf32>)
    -> (tensor<?x4xf32> {heddle.layout = #heddle.layout<panels of 4 along 1>}, tensor<?x4xf32>) {
  // CHECK: heddle.yield %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>
  heddle.yield %x, %x : tensor<?x4xf32>, tensor<?x4xf32>
}
