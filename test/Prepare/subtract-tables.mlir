// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-subtract-tables | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: %[[A:.*]] = heddle.generic {{.*}} ins(%arg0
// CHECK: %[[B:.*]] = heddle.generic {{.*}} ins(%arg1
// CHECK: %[[C:.*]] = heddle.generic over [9, 64] ins(%[[A]], %[[B]] :
// CHECK: arith.subf
// CHECK: heddle.generic {{.*}} tables(%[[C]] : tensor<9x64xf32>)
// CHECK: %[[READ:.*]] = heddle.read
// CHECK-NOT: heddle.read
// CHECK-NOT: arith.subf
// CHECK: heddle.yield %[[READ]]
func.func @rows(%x: tensor<9x64xf32>, %y: tensor<9x64xf32>, %rows: tensor<5xi32>) -> tensor<5x64xf32> {
  %a = heddle.generic over [9, 64] ins(%x : tensor<9x64xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    heddle.yield %1 : f32
  } : tensor<9x64xf32>
  %b = heddle.generic over [9, 64] ins(%y : tensor<9x64xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    heddle.yield %1 : f32
  } : tensor<9x64xf32>
  %z = heddle.generic over [5, 64] ins(%rows : tensor<5xi32>) maps [affine_map<(d0, d1) -> (d0)>]
      tables(%a, %b : tensor<9x64xf32>, tensor<9x64xf32>) {
  ^bb0(%row: i32, %first: tensor<9x64xf32>, %second: tensor<9x64xf32>):
    %three = arith.constant 3 : i32
    %i = arith.divsi %row, %three : i32
    %k = heddle.index 1
    %0 = heddle.read %first[%i, %k] : tensor<9x64xf32>
    %other = arith.constant 3 : i32
    %j = arith.divsi %row, %other : i32
    %l = heddle.index 1
    %1 = heddle.read %second[%j, %l] : tensor<9x64xf32>
    %2 = arith.subf %0, %1 : f32
    heddle.yield %2 : f32
  } : tensor<5x64xf32>
  return %z : tensor<5x64xf32>
}

// Other places, and a table that something else reads.
// CHECK-LABEL: func.func @others
// CHECK: tables(%{{.*}}, %{{.*}} : tensor<9xf32>, tensor<9xf32>)
// CHECK-COUNT-2: heddle.read
// CHECK: tables(%{{.*}}, %{{.*}} : tensor<9xf32>, tensor<9xf32>)
// CHECK-COUNT-2: heddle.read
func.func @others(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %a = heddle.generic over [9] ins(%x : tensor<9xf32>) maps [affine_map<(d0) -> (d0)>] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    heddle.yield %1 : f32
  } : tensor<9xf32>
  %b = heddle.generic over [9] ins(%x : tensor<9xf32>) maps [affine_map<(d0) -> (d0)>] {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    heddle.yield %1 : f32
  } : tensor<9xf32>
  %c = heddle.generic over [9] ins(%x : tensor<9xf32>) maps [affine_map<(d0) -> (d0)>] {
  ^bb0(%0: f32):
    %1 = math.sin %0 : f32
    heddle.yield %1 : f32
  } : tensor<9xf32>
  %places = heddle.generic over [9] tables(%a, %b : tensor<9xf32>, tensor<9xf32>) {
  ^bb0(%first: tensor<9xf32>, %second: tensor<9xf32>):
    %i = heddle.index 0
    %j = arith.addi %i, %i : i32
    %0 = heddle.read %first[%i] : tensor<9xf32>
    %1 = heddle.read %second[%j] : tensor<9xf32>
    %2 = arith.subf %0, %1 : f32
    heddle.yield %2 : f32
  } : tensor<9xf32>
  %read = heddle.generic over [9] tables(%c, %x : tensor<9xf32>, tensor<9xf32>) {
  ^bb0(%first: tensor<9xf32>, %second: tensor<9xf32>):
    %i = heddle.index 0
    %0 = heddle.read %first[%i] : tensor<9xf32>
    %1 = heddle.read %second[%i] : tensor<9xf32>
    %2 = arith.subf %0, %1 : f32
    heddle.yield %2 : f32
  } : tensor<9xf32>
  return %places, %read, %c : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}
