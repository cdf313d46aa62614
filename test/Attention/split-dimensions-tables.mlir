// A dimension is divided in what an op reads as an input, though the same op reads that as a
// table, too: the table is a view, and the pass ends.
// RUN: heddle-opt %s --heddle-find-attention | FileCheck %s

// CHECK: %[[E:.*]] = heddle.generic over ["n", 4, "m"] ins(
// CHECK-NEXT: ^
// CHECK-NEXT: arith.subf
// CHECK-NEXT: math.exp
// CHECK: %[[TABLE:.*]] = heddle.generic over ["4 * n", "m"] ins(%[[E]]
// CHECK-NEXT: ^
// CHECK-NEXT: heddle.yield
// CHECK: heddle.generic over ["n", 4, "m"] ins(%[[E]] {{.*}} tables(%[[TABLE]]
func.func @f(%q: tensor<?x16xf32, #heddle.sizes<"4 * n">>, %k: tensor<?x16xf32, #heddle.sizes<"m">>, %v: tensor<?x8xf32, #heddle.sizes<"m">>) -> tensor<?x4x8xf32, #heddle.sizes<"n">> {
  %s = heddle.generic over ["4 * n", "m"] reduce [16] initial [0.0 : f32] ins(%q, %k : tensor<?x16xf32, #heddle.sizes<"4 * n">>, tensor<?x16xf32, #heddle.sizes<"m">>) maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>] {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>
  %t = heddle.generic over ["4 * n"] reduce ["m"] initial [0xFF800000 : f32] ins(%s : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>) maps [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%x: f32, %most: f32):
    %0 = arith.maximumf %most, %x : f32
    heddle.yield %0 : f32
  } : tensor<?xf32, #heddle.sizes<"4 * n">>
  %e = heddle.generic over ["4 * n", "m"] ins(%s, %t : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>, tensor<?xf32, #heddle.sizes<"4 * n">>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%x: f32, %most: f32):
    %0 = arith.subf %x, %most : f32
    %1 = math.exp %0 : f32
    heddle.yield %1 : f32
  } : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>
  %p = heddle.generic over ["4 * n", "m"] ins(%e : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>) maps [affine_map<(d0, d1) -> (d0, d1)>] tables(%e : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>) {
  ^bb0(%x: f32, %table: tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>):
    %zero = arith.constant 0 : i32
    %column = heddle.index 1
    %first = heddle.read %table[%zero, %column] : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>
    %0 = arith.addf %x, %first : f32
    heddle.yield %0 : f32
  } : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>
  %w = heddle.generic over ["n", 4, "m"] ins(%p : tensor<?x?xf32, #heddle.sizes<"4 * n", "m">>) maps [affine_map<(d0, d1, d2) -> (d0 * 4 + d1, d2)>] {
  ^bb0(%x: f32):
    heddle.yield %x : f32
  } : tensor<?x4x?xf32, #heddle.sizes<"n", "m">>
  %o = heddle.generic over ["n", 4, 8] reduce ["m"] initial [0.0 : f32] ins(%w, %v : tensor<?x4x?xf32, #heddle.sizes<"n", "m">>, tensor<?x8xf32, #heddle.sizes<"m">>) maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>] {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?x4x8xf32, #heddle.sizes<"n">>
  return %o : tensor<?x4x8xf32, #heddle.sizes<"n">>
}
