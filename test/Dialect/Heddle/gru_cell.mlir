// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @gru_cell
func.func @gru_cell(%x: tensor<?x20xf32>, %h: tensor<?x24xf32>, %w: tensor<72x20xf32>,
    %u: tensor<72x24xbf16>, %b: tensor<72xf32>) -> tensor<?x24xf32> {
  // CHECK: heddle.gru_cell %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xbf16>
  %0 = heddle.gru_cell %x, %h, %w, %u
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xbf16>
  // CHECK: biases(%{{.*}}, %{{.*}} : tensor<72xf32>, tensor<72xf32>)
  %1 = heddle.gru_cell %x, %0, %w, %u biases(%b, %b : tensor<72xf32>, tensor<72xf32>)
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xbf16>
  // CHECK: heddle.gru_cell %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} biases(%{{.*}}, %{{.*}} : tensor<72xf32>, tensor<72xf32>) reset_before : tensor<?x20xf32>
  %2 = heddle.gru_cell %x, %1, %w, %u biases(%b, %b : tensor<72xf32>, tensor<72xf32>) reset_before
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xbf16>
  return %2 : tensor<?x24xf32>
}
