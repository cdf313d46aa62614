// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @lstm_cell
func.func @lstm_cell(%x: tensor<?x20xf32>, %h: tensor<?x24xf32>, %c: tensor<?x24xf32>, %w: tensor<96x20xf32>,
    %u: tensor<96x24xf32>, %b: tensor<96xf32>, %p: tensor<72xbf16>) -> (tensor<?x24xf32>, tensor<?x24xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = heddle.lstm_cell %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
  %h1, %c1 = heddle.lstm_cell %x, %h, %c, %w, %u
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
  // CHECK: biases(%{{.*}}, %{{.*}} : tensor<96xf32>, tensor<96xf32>)
  %h2, %c2 = heddle.lstm_cell %x, %h1, %c1, %w, %u biases(%b, %b : tensor<96xf32>, tensor<96xf32>)
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
  // CHECK: heddle.lstm_cell {{.*}} peepholes(%{{.*}} : tensor<72xbf16>) : tensor<?x20xf32>
  %h3, %c3 = heddle.lstm_cell %x, %h2, %c2, %w, %u peepholes(%p : tensor<72xbf16>)
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
  return %h3, %c3 : tensor<?x24xf32>, tensor<?x24xf32>
}
