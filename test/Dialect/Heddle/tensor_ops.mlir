// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @indexing
func.func @indexing(%x: tensor<5x12xf32>, %y: tensor<1xf32>, %c: tensor<5x12xi1>,
    %ids: tensor<5x3xi32>, %rows: tensor<7xi32>, %u: tensor<7x12xf32>,
    %places: tensor<7x2xi64>, %v: tensor<7xf32>) {
  // CHECK: heddle.gather %{{.*}}, %{{.*}} axis(0) : tensor<5x12xf32>, tensor<7xi32> -> tensor<7x12xf32>
  %0 = heddle.gather %x, %rows axis(0) : tensor<5x12xf32>, tensor<7xi32> -> tensor<7x12xf32>
  // CHECK: heddle.gather_elements %{{.*}}, %{{.*}} axis(1) : tensor<5x12xf32>, tensor<5x3xi32> -> tensor<5x3xf32>
  %1 = heddle.gather_elements %x, %ids axis(1) : tensor<5x12xf32>, tensor<5x3xi32> -> tensor<5x3xf32>
  // CHECK: heddle.scatter add %{{.*}}, %{{.*}}, %{{.*}} axis(0) : tensor<5x12xf32>, tensor<7xi32>, tensor<7x12xf32> -> tensor<5x12xf32>
  %2 = heddle.scatter add %x, %rows, %u axis(0) : tensor<5x12xf32>, tensor<7xi32>, tensor<7x12xf32> -> tensor<5x12xf32>
  // CHECK: heddle.iota axis(1) sizes [5, 12] : tensor<5x12xi32>
  %3 = heddle.iota axis(1) sizes [5, 12] : tensor<5x12xi32>
  // CHECK: heddle.one_hot %{{.*}} depth(12) : tensor<7xi32> -> tensor<7x12xf32>
  %4 = heddle.one_hot %rows depth(12) : tensor<7xi32> -> tensor<7x12xf32>
  // CHECK: heddle.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<5x12xi1>, tensor<5x12xf32>, tensor<1xf32> -> tensor<5x12xf32>
  %5 = heddle.where %c, %x, %y : tensor<5x12xi1>, tensor<5x12xf32>, tensor<1xf32> -> tensor<5x12xf32>
  // CHECK: heddle.cast %{{.*}} : tensor<5x12xf32> -> tensor<5x12xi8>
  %6 = heddle.cast %x : tensor<5x12xf32> -> tensor<5x12xi8>
  // CHECK: heddle.gather %{{.*}}, %{{.*}} axis(0) coordinates(2) wrap : tensor<5x12xf32>, tensor<7x2xi64> -> tensor<7xf32>
  %7 = heddle.gather %x, %places axis(0) coordinates(2) wrap : tensor<5x12xf32>, tensor<7x2xi64> -> tensor<7xf32>
  // CHECK: heddle.gather_elements %{{.*}}, %{{.*}} axis(1) wrap : tensor<5x12xf32>, tensor<5x3xi32> -> tensor<5x3xf32>
  %8 = heddle.gather_elements %x, %ids axis(1) wrap : tensor<5x12xf32>, tensor<5x3xi32> -> tensor<5x3xf32>
  // CHECK: heddle.scatter max %{{.*}}, %{{.*}}, %{{.*}} axis(0) coordinates(2) wrap : tensor<5x12xf32>, tensor<7x2xi64>, tensor<7xf32> -> tensor<5x12xf32>
  %9 = heddle.scatter max %x, %places, %v axis(0) coordinates(2) wrap : tensor<5x12xf32>, tensor<7x2xi64>, tensor<7xf32> -> tensor<5x12xf32>
  // CHECK: heddle.one_hot %{{.*}} depth(12) wrap : tensor<7xi32> -> tensor<7x12xf32>
  %10 = heddle.one_hot %rows depth(12) wrap : tensor<7xi32> -> tensor<7x12xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<5x12xf32>, %q: tensor<2x5x8xf32>, %k: tensor<2x9x8xf32>) {
  // CHECK: heddle.matmul %{{.*}}, %{{.*}} transpose_b : tensor<2x5x8xf32>, tensor<2x9x8xf32> -> tensor<2x5x9xf32>
  %0 = heddle.matmul %q, %k transpose_b : tensor<2x5x8xf32>, tensor<2x9x8xf32> -> tensor<2x5x9xf32>
  // CHECK: heddle.matmul %{{.*}}, %{{.*}} transpose_a : tensor<2x5x8xf32>, tensor<2x5x8xf32> -> tensor<2x8x8xf32>
  %1 = heddle.matmul %q, %q transpose_a : tensor<2x5x8xf32>, tensor<2x5x8xf32> -> tensor<2x8x8xf32>
  // CHECK: heddle.reduce mean %{{.*}} axes [1] : tensor<5x12xf32> -> tensor<5xf32>
  %2 = heddle.reduce mean %x axes [1] : tensor<5x12xf32> -> tensor<5xf32>
  // CHECK: heddle.reduce max %{{.*}} axes [0, 1] keep_sizes : tensor<5x12xf32> -> tensor<1x1xf32>
  %3 = heddle.reduce max %x axes [0, 1] keep_sizes : tensor<5x12xf32> -> tensor<1x1xf32>
  // CHECK: heddle.arg_reduce max %{{.*}} axis(1) keep_sizes : tensor<5x12xf32> -> tensor<5x1xi32>
  %4 = heddle.arg_reduce max %x axis(1) keep_sizes : tensor<5x12xf32> -> tensor<5x1xi32>
  // CHECK: heddle.cumulative_sum %{{.*}} axis(1) exclusive reverse : tensor<5x12xf32>
  %5 = heddle.cumulative_sum %x axis(1) exclusive reverse : tensor<5x12xf32>
  // CHECK: heddle.softmax %{{.*}} axis(1) : tensor<5x12xf32>
  %6 = heddle.softmax %x axis(1) : tensor<5x12xf32>
  // CHECK: heddle.log_softmax %{{.*}} axis(0) : tensor<5x12xf32>
  %7 = heddle.log_softmax %x axis(0) : tensor<5x12xf32>
  // CHECK: heddle.top_k %{{.*}} axis(1) k(3) : tensor<5x12xf32> -> tensor<5x3xf32>, tensor<5x3xi32>
  %8, %9 = heddle.top_k %x axis(1) k(3) : tensor<5x12xf32> -> tensor<5x3xf32>, tensor<5x3xi32>
  // CHECK: heddle.top_k %{{.*}} axis(0) k("min(5, k)") smallest : tensor<5x12xf32> -> tensor<?x12xf32>, tensor<?x12xi64>
  %10, %11 = heddle.top_k %x axis(0) k("min(5, k)") smallest : tensor<5x12xf32> -> tensor<?x12xf32>, tensor<?x12xi64>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<5x12xf32>, %y: tensor<5x3xf32>, %z: tensor<1x5x1x12xf32>) {
  // CHECK: heddle.transpose %{{.*}} permutation [1, 0] : tensor<5x12xf32> -> tensor<12x5xf32>
  %0 = heddle.transpose %x permutation [1, 0] : tensor<5x12xf32> -> tensor<12x5xf32>
  // CHECK: heddle.reshape %{{.*}} to [10, 6] : tensor<5x12xf32> -> tensor<10x6xf32>
  %1 = heddle.reshape %x to [10, 6] : tensor<5x12xf32> -> tensor<10x6xf32>
  // CHECK: heddle.expand %{{.*}} axes [0, 2] : tensor<5x12xf32> -> tensor<1x5x1x12xf32>
  %2 = heddle.expand %x axes [0, 2] : tensor<5x12xf32> -> tensor<1x5x1x12xf32>
  // CHECK: heddle.squeeze %{{.*}} axes [0, 2] : tensor<1x5x1x12xf32> -> tensor<5x12xf32>
  %3 = heddle.squeeze %z axes [0, 2] : tensor<1x5x1x12xf32> -> tensor<5x12xf32>
  // CHECK: heddle.slice %{{.*}} offsets [1, 11] sizes [4, 6] steps [1, -2] : tensor<5x12xf32> -> tensor<4x6xf32>
  %4 = heddle.slice %x offsets [1, 11] sizes [4, 6] steps [1, -2] : tensor<5x12xf32> -> tensor<4x6xf32>
  // CHECK: heddle.concat %{{.*}}, %{{.*}} axis(1) : tensor<5x12xf32>, tensor<5x3xf32> -> tensor<5x15xf32>
  %5 = heddle.concat %x, %y axis(1) : tensor<5x12xf32>, tensor<5x3xf32> -> tensor<5x15xf32>
  // CHECK: heddle.split %{{.*}} axis(1) sizes [4, 8] : tensor<5x12xf32> -> tensor<5x4xf32>, tensor<5x8xf32>
  %6:2 = heddle.split %x axis(1) sizes [4, 8] : tensor<5x12xf32> -> tensor<5x4xf32>, tensor<5x8xf32>
  // CHECK: heddle.pad %{{.*}} low [0, 2] high [1, 0] value(0.000000e+00 : f32) : tensor<5x12xf32> -> tensor<6x14xf32>
  %7 = heddle.pad %x low [0, 2] high [1, 0] value(0.0 : f32) : tensor<5x12xf32> -> tensor<6x14xf32>
  // CHECK: heddle.broadcast %{{.*}} to [5, 5, 12] : tensor<5x12xf32> -> tensor<5x5x12xf32>
  %8 = heddle.broadcast %x to [5, 5, 12] : tensor<5x12xf32> -> tensor<5x5x12xf32>
  // CHECK: heddle.broadcast_tensors %{{.*}}, %{{.*}} : tensor<5x12xf32>, tensor<5x5x12xf32> -> tensor<5x5x12xf32>, tensor<5x5x12xf32>
  %9:2 = heddle.broadcast_tensors %x, %8 : tensor<5x12xf32>, tensor<5x5x12xf32> -> tensor<5x5x12xf32>, tensor<5x5x12xf32>
  return
}
