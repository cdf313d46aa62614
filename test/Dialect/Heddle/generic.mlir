// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK: heddle.generic over ["batch", 64] ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<64xf32>) maps [#{{.*}}, #{{.*}}] {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[W:.*]]: f32):
// CHECK: heddle.yield
// CHECK: } : tensor<?x64xf32>
func.func @elementwise(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %y = heddle.generic over ["batch", 64] ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    heddle.yield %0 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Several reductions at once.
// CHECK-LABEL: func.func @reductions
// CHECK: heddle.generic over ["n"] reduce [64] initial [0.000000e+00 : f32, 0xFF800000 : f32]
// CHECK: } : tensor<?xf32>, tensor<?xf32>
func.func @reductions(%x: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y:2 = heddle.generic over ["n"] reduce [64] initial [0.0 : f32, 0xFF800000 : f32]
      ins(%x : tensor<?x64xf32>) maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%a: f32, %sum: f32, %most: f32):
    %0 = arith.addf %sum, %a : f32
    %1 = arith.maximumf %most, %a : f32
    heddle.yield %0, %1 : f32, f32
  } : tensor<?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

// Maps may divide by sizes: here the rows of a batch become one dimension.
// CHECK-LABEL: func.func @rows
// CHECK: maps [#{{.*}}] symbols ["length"] {
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = heddle.generic over ["batch * length"] ins(%x : tensor<?x?xf32>)
      maps [affine_map<(m)[length] -> (m floordiv length, m mod length)>] symbols ["length"] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @body
// CHECK: heddle.generic over [4] tables(%{{.*}} : tensor<512xf32>) {
// CHECK: %[[I:.*]] = heddle.index 0
// CHECK: %[[N:.*]] = heddle.size "past" : i32
// CHECK: heddle.read %{{.*}}[%[[I]]] : tensor<512xf32>
// CHECK: heddle.read %{{.*}}[%[[N]]] fill(%{{.*}}) : tensor<512xf32>
func.func @body(%t: tensor<512xf32>) -> tensor<4xf32> {
  %y = heddle.generic over [4] tables(%t : tensor<512xf32>) {
  ^bb0(%table: tensor<512xf32>):
    %i = heddle.index 0
    %n = heddle.size "past" : i32
    %0 = heddle.read %table[%i] : tensor<512xf32>
    %1 = heddle.read %table[%n] fill(%0) : tensor<512xf32>
    heddle.yield %1 : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}
