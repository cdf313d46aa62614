// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-find-contractions --heddle-assign-layouts | FileCheck %s
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=x86-64-v3 --heddle-find-contractions --heddle-assign-layouts | FileCheck %s --check-prefix=AVX2
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=znver4 --heddle-find-contractions --heddle-assign-layouts | FileCheck %s --check-prefix=ZEN

heddle.weight @w = dense<0.5> : tensor<96x64xf32>

// Panels of columns; without AVX-512 they are narrower. The table of the embedding is the
// same weight and takes its layout.
// CHECK-LABEL: func.func @tied
// CHECK: heddle.weight_ref @w layout(<panels of 64 along 0>)
// CHECK-NOT: heddle.weight_ref
// AVX2-LABEL: func.func @tied
// AVX2: heddle.weight_ref @w layout(<panels of 16 along 0>)
func.func @tied(%ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %x = heddle.gather %w, %ids axis(0) : tensor<96x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x96xf32>
}

// Products with the weight and with its transpose read one copy each.
// CHECK-LABEL: func.func @both_sides
// CHECK-DAG: heddle.weight_ref @w layout(<panels of 64 along 0>)
// CHECK-DAG: heddle.weight_ref @w layout(<panels of 64 along 1>)
func.func @both_sides(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %z = heddle.matmul %y, %w : tensor<?x96xf32>, tensor<96x64xf32> -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

heddle.weight @narrow = dense<0.5> : tensor<4x64xf32>

// A weight that is returned is dense, and so is one with few columns.
// CHECK-LABEL: func.func @dense
// CHECK: heddle.weight_ref @narrow :
func.func @dense(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> (tensor<?x4xf32>, tensor<4x64xf32>) {
  %w = heddle.weight_ref @narrow : tensor<4x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<4x64xf32>
  return %y, %w : tensor<?x4xf32>, tensor<4x64xf32>
}

// What columns are decoded with lies in panels as they do, unless it has them in groups.
heddle.weight @q = dense<3> : tensor<96x64xi8>
heddle.weight @s = dense<0.5> : tensor<96x2xf16>
heddle.weight @t = dense<0.5> : tensor<3x64xf16>
// CHECK-LABEL: func.func @decoded
// CHECK: heddle.weight_ref @q layout(<panels of 64 along 0>)
// CHECK: heddle.weight_ref @s layout(<panels of 64 along 0>)
// CHECK: heddle.weight_ref @t :
func.func @decoded(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %q = heddle.weight_ref @q : tensor<96x64xi8>
  %s = heddle.weight_ref @s : tensor<96x2xf16>
  %t = heddle.weight_ref @t : tensor<3x64xf16>
  %y = heddle.generic over ["n", 96] reduce [64] initial [0.0 : f32]
      ins(%x, %q, %s, %t : tensor<?x64xf32>, tensor<96x64xi8>, tensor<96x2xf16>, tensor<3x64xf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>,
            affine_map<(r, c, k) -> (c, k floordiv 32)>, affine_map<(r, c, k) -> (c floordiv 32, k)>] {
  ^bb0(%a: f32, %code: i8, %scale: f16, %other: f16, %sum: f32):
    %0 = arith.sitofp %code : i8 to f32
    %1 = arith.extf %scale : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.extf %other : f16 to f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.mulf %a, %4 : f32
    %6 = arith.addf %sum, %5 : f32
    heddle.yield %6 : f32
  } : tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// Terms that are added up as integers lie side by side, two of them. Blocks of 32 have narrow panels.
// CHECK-LABEL: func.func @integers
// CHECK: heddle.weight_ref @q layout(<panels of 32 along 0 groups of 2>)
// CHECK: heddle.weight_ref @s layout(<panels of 32 along 0>)
// AVX2-LABEL: func.func @integers
// AVX2: heddle.weight_ref @q layout(<panels of 16 along 0 groups of 2>)
func.func @integers(%c: tensor<?x64xi16> {heddle.sizes = ["n"]}, %d: tensor<?x1xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %q = heddle.weight_ref @q : tensor<96x64xi8>
  %s = heddle.weight_ref @s : tensor<96x2xf16>
  %y = heddle.generic over ["n", 96] reduce [64] initial [0.0 : f32]
      ins(%c, %d, %q, %s : tensor<?x64xi16>, tensor<?x1xf32>, tensor<96x64xi8>, tensor<96x2xf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, k floordiv 32)>] {
  ^bb0(%a: i16, %b: f32, %code: i8, %scale: f16, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %code : i8 to f32
    %3 = arith.extf %scale : f16 to f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.mulf %1, %4 : f32
    %6 = arith.addf %sum, %5 : f32
    heddle.yield %6 : f32
  } : tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// So do terms of bf16, where the CPU adds them up in pairs.
// CHECK-LABEL: func.func @pairs
// CHECK: heddle.weight_ref @bfloats layout(<panels of 64 along 0>)
// ZEN-LABEL: func.func @pairs
// ZEN: heddle.weight_ref @bfloats layout(<panels of 48 along 0 groups of 2>)
heddle.weight @bfloats = dense<0.5> : tensor<96x64xbf16>

func.func @pairs(%x: tensor<?x64xbf16> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %w = heddle.weight_ref @bfloats : tensor<96x64xbf16>
  %y = heddle.generic over ["n", 96] reduce [64] initial [0.0 : f32]
      ins(%x, %w : tensor<?x64xbf16>, tensor<96x64xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// Long blocks of integers have wide panels.
// CHECK-LABEL: func.func @long_blocks
// CHECK: heddle.weight_ref @long layout(<panels of 48 along 0 groups of 2>)
heddle.weight @long = dense<3> : tensor<96x256xi8>
heddle.weight @rows = dense<0.5> : tensor<96x1xf32>

func.func @long_blocks(%c: tensor<?x256xi16> {heddle.sizes = ["n"]}, %d: tensor<?x1xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %q = heddle.weight_ref @long : tensor<96x256xi8>
  %s = heddle.weight_ref @rows : tensor<96x1xf32>
  %y = heddle.generic over ["n", 96] reduce [256] initial [0.0 : f32]
      ins(%c, %d, %q, %s : tensor<?x256xi16>, tensor<?x1xf32>, tensor<96x256xi8>, tensor<96x1xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %code: i8, %scale: f32, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %code : i8 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    heddle.yield %5 : f32
  } : tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
