// The result of each function is 0 in the first round, of sizes of 2, 5, 8 and 11, and rounded in the
// second.

func.func @one(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] ins(%x : tensor<?x64xf32>) maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%e: f32):
    %n = heddle.size "n" : i32
    %first = arith.constant 2 : i32
    %more = arith.subi %n, %first : i32
    %f = arith.sitofp %more : i32 to f32
    %c = arith.constant 9.0 : f32
    %r = arith.divf %f, %c : f32
    heddle.yield %r : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @wide(%x: tensor<?x4096xf32> {heddle.sizes = ["n"]}) -> tensor<?x4096xf32> {
  %y = heddle.generic over ["n", 4096] ins(%x : tensor<?x4096xf32>) maps [affine_map<(i, j) -> (i, j)>] {
  ^bb0(%e: f32):
    %n = heddle.size "n" : i32
    %first = arith.constant 2 : i32
    %more = arith.subi %n, %first : i32
    %f = arith.sitofp %more : i32 to f32
    %c = arith.constant 9.0 : f32
    %r = arith.divf %f, %c : f32
    heddle.yield %r : f32
  } : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

func.func @four(%x: tensor<?x?x?x?xf32> {heddle.sizes = ["a", "b", "c", "d"]}) -> tensor<?x?x?x?xf32> {
  %y = heddle.generic over ["a", "b", "c", "d"] ins(%x : tensor<?x?x?x?xf32>) maps [affine_map<(i, j, k, l) -> (i, j, k, l)>] {
  ^bb0(%e: f32):
    %n = heddle.size "d" : i32
    %first = arith.constant 11 : i32
    %more = arith.subi %n, %first : i32
    %f = arith.sitofp %more : i32 to f32
    %c = arith.constant 9.0 : f32
    %r = arith.divf %f, %c : f32
    heddle.yield %r : f32
  } : tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// A large tensor beside, which has no such size, leaves them: 39 and 42 are the last indices.
func.func @beside(%x: tensor<?x?xf32> {heddle.sizes = ["m", "n"]}, %w: tensor<262145xf32>) -> tensor<?x?xf32> {
  %y = heddle.generic over ["m", "n"] ins(%x, %w : tensor<?x?xf32>, tensor<262145xf32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0)>] {
  ^bb0(%e: f32, %v: f32):
    %i = heddle.index 0
    %j = heddle.index 1
    %k = arith.addi %i, %j : i32
    %f = arith.sitofp %k : i32 to f32
    %c = arith.constant 1000.0 : f32
    %g = arith.mulf %f, %c : f32
    %s = arith.addf %g, %v : f32
    heddle.yield %s : f32
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
