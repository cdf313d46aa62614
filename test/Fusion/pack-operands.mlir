// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-merge-generics --heddle-set-target=cpu=x86-64-v4 --heddle-find-contractions --heddle-pack-operands | FileCheck %s

// CHECK-DAG: #[[PACK:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 64 + d3, d2)>
// CHECK-DAG: #[[PANEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 floordiv 64, d3, d2 mod 64)>
// CHECK-DAG: #[[COPY:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>

// CHECK-LABEL: func.func @panels
// CHECK: %[[K:.*]] = heddle.generic over [3, 2, 24, 64] ins(%arg1 : {{.*}}) maps [#[[PACK]]]
// CHECK: heddle.generic over [3, 40, 128] reduce [24] {{.*}} ins(%arg0, %[[K]] : {{.*}}) maps [#{{.*}}, #[[PANEL]]]
func.func @panels(%q: tensor<3x40x24xf32>, %k: tensor<3x128x24xf32>) -> tensor<3x40x128xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x40x24xf32>, tensor<3x128x24xf32> -> tensor<3x40x128xf32>
  return %s : tensor<3x40x128xf32>
}

// CHECK-LABEL: func.func @no_panels
// CHECK: %[[K:.*]] = heddle.generic over [3, 24, 70] ins(%arg1 : {{.*}}) maps [#[[COPY]]]
// CHECK: heddle.generic over [3, 40, 70] reduce [24] {{.*}} ins(%arg0, %[[K]] : {{.*}}) maps [#{{.*}}, #[[COLUMN]]]
func.func @no_panels(%q: tensor<3x40x24xf32>, %k: tensor<3x70x24xf32>) -> tensor<3x40x70xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x40x24xf32>, tensor<3x70x24xf32> -> tensor<3x40x70xf32>
  return %s : tensor<3x40x70xf32>
}

// Few columns are read where they are.
// CHECK-LABEL: func.func @in_place
// CHECK-COUNT-1: heddle.generic
// CHECK-NOT: heddle.generic
func.func @in_place(%a: tensor<3x40x24xf32>, %b: tensor<3x24x64xf32>) -> tensor<3x40x64xf32> {
  %s = heddle.matmul %a, %b : tensor<3x40x24xf32>, tensor<3x24x64xf32> -> tensor<3x40x64xf32>
  return %s : tensor<3x40x64xf32>
}

// Columns that begin somewhere lie side by side, too, also where they are those of several rows.
// CHECK-LABEL: func.func @from_taps
// CHECK-COUNT-1: heddle.generic
// CHECK-NOT: heddle.generic
func.func @from_taps(%w: tensor<8x24x3xf32>, %x: tensor<24x10x9xf32>) -> tensor<8x60xf32> {
  %y = heddle.generic over [8, 60] reduce [24, 3] initial [0.0 : f32]
      ins(%w, %x : tensor<8x24x3xf32>, tensor<24x10x9xf32>)
      maps [affine_map<(o, l, i, k) -> (o, i, k)>, affine_map<(o, l, i, k) -> (i, (l + k * 10) floordiv 9, (l + k * 10) mod 9)>] {
  ^bb0(%f: f32, %a: f32, %sum: f32):
    %0 = arith.mulf %a, %f : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<8x60xf32>
  return %y : tensor<8x60xf32>
}

// Every second one does not.
// CHECK-LABEL: func.func @strided
// CHECK-COUNT-2: heddle.generic
func.func @strided(%w: tensor<8x24x3xf32>, %x: tensor<24x90xf32>) -> tensor<8x40xf32> {
  %y = heddle.generic over [8, 40] reduce [24, 3] initial [0.0 : f32]
      ins(%w, %x : tensor<8x24x3xf32>, tensor<24x90xf32>)
      maps [affine_map<(o, l, i, k) -> (o, i, k)>, affine_map<(o, l, i, k) -> (i, l * 2 + k)>] {
  ^bb0(%f: f32, %a: f32, %sum: f32):
    %0 = arith.mulf %a, %f : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<8x40xf32>
  return %y : tensor<8x40xf32>
}
