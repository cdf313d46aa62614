// Integers of bodies wrap around at 32 bits, those of coordinates do not: what has
// wrapped is divided as it is.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified quotients as a whole: worst error 0 of tolerance 0
// CHECK: verified hashes as a whole: worst error 0 of tolerance 0
// CHECK: verified shifts as a whole: worst error 0 of tolerance 0

func.func @quotients(%t: tensor<16xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %y:2 = heddle.generic over [4] tables(%t : tensor<16xf32>) {
  ^bb0(%table: tensor<16xf32>):
    %i = heddle.index 0
    %c = arith.constant 1073741824 : i32
    %four = arith.constant 4 : i32
    %a = arith.muli %i, %c : i32
    %b = arith.muli %a, %four : i32
    %d = arith.divsi %b, %c : i32
    %e = heddle.read %table[%d] : tensor<16xf32>
    %three = arith.constant 1000003 : i32
    %q = arith.divsi %a, %three : i32
    heddle.yield %e, %q : f32, i32
  } : tensor<4xf32>, tensor<4xi32>
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xi32>
}

// A number of buckets, of products that wrap around.
func.func @hashes(%t: tensor<7xf32>) -> tensor<100xf32> {
  %y = heddle.generic over [100] tables(%t : tensor<7xf32>) {
  ^bb0(%table: tensor<7xf32>):
    %i = heddle.index 0
    %c = arith.constant 0x5bd1e995 : i32
    %n = arith.constant 7 : i32
    %a = arith.muli %i, %c : i32
    %r = arith.remsi %a, %n : i32
    %e = heddle.read %table[%r] : tensor<7xf32>
    heddle.yield %e : f32
  } : tensor<100xf32>
  return %y : tensor<100xf32>
}

// Shifts by more bits than there are leave none but the sign.
func.func @shifts(%x: tensor<64xi8>, %count: tensor<64xi8>)
    -> (tensor<64xi8>, tensor<64xi8>, tensor<64xi8>) {
  %l = arith.shli %x, %count : tensor<64xi8>
  %s = arith.shrsi %x, %count : tensor<64xi8>
  %u = arith.shrui %x, %count : tensor<64xi8>
  return %l, %s, %u : tensor<64xi8>, tensor<64xi8>, tensor<64xi8>
}
