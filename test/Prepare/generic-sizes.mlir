// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// What a map reads is inside, also where a row is taken apart.
// CHECK-LABEL: func.func @rows
// CHECK: heddle.generic over ["batch * length"]
// CHECK: } : tensor<?xf32, #heddle.sizes<"batch * length">>
func.func @rows(%x: tensor<?x?xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?xf32> {
  %y = heddle.generic over ["batch * length"] ins(%x : tensor<?x?xf32>)
      maps [affine_map<(m)[length] -> (m floordiv length, m mod length)>] symbols ["length"] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @every_second
// CHECK: } : tensor<?xf32, #heddle.sizes<"n">>
func.func @every_second(%x: tensor<?xf32> {heddle.sizes = ["2 * n"]}) -> tensor<?xf32> {
  %y = heddle.generic over ["n"] ins(%x : tensor<?xf32>) maps [affine_map<(i) -> (2 * i + 1)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
