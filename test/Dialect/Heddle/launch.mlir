// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

heddle.kernel @relu(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = heddle.activation relu %x : tensor<?x4xf32>
  heddle.yield %y : tensor<?x4xf32>
}

// A kernel sees one layer of a cache.
heddle.kernel @read(%c: !heddle.cache<1 x 4 x 8 x f32>)
    -> (tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>) {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  heddle.yield %k, %c : tensor<?x?x32xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// CHECK-LABEL: func.func @launch
func.func @launch(%x: tensor<?x4xf32>, %c: !heddle.cache<5 x 4 x 8 x f32>) {
  // CHECK: heddle.launch @relu(%{{.*}}) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = heddle.launch @relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: heddle.launch @read(%{{.*}}) layer(4)
  // CHECK-SAME: (!heddle.cache<5 x 4 x 8 x f32>) -> (tensor<?x?x32xf32>, !heddle.cache<5 x 4 x 8 x f32>)
  %1:2 = heddle.launch @read(%c) layer(4) : (!heddle.cache<5 x 4 x 8 x f32>)
      -> (tensor<?x?x32xf32>, !heddle.cache<5 x 4 x 8 x f32>)
  return
}
