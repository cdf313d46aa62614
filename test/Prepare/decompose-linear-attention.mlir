// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose | FileCheck %s

// All chunks are computed at once, but for their states, which are a scan over what they add.
// CHECK-LABEL: func.func @linear_attention
// CHECK: %[[SCORES:.*]] = heddle.generic over ["b", 2, "max(1, ceildiv(n, 16))", 16, 16] reduce [8]
// CHECK: %[[KEPT:.*]] = heddle.generic over ["b", 2, "max(1, ceildiv(n, 16))", 16, 16] ins(%[[SCORES]] :
// CHECK: arith.cmpi sle
// CHECK-NOT: math.exp
// CHECK: %[[GAINED:.*]] = heddle.generic over ["b", 2, "max(1, ceildiv(n, 16))", 8, 12] reduce [16]
// CHECK: %[[ADDED:.*]] = heddle.generic over ["b", 2, "max(1, ceildiv(n, 16)) + 1", 8, 12] tables(%[[GAINED]] :
// CHECK: %[[COUNT:.*]] = heddle.size "max(1, ceildiv(n, 16)) + 1" : index
// CHECK: %[[LOOP:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %{{.*}} = %[[ADDED]])
// CHECK: arith.cmpi ult, %[[I]], %[[COUNT]]
// CHECK: heddle.from_number
// CHECK: scf.yield
// CHECK: %[[S:.*]] = heddle.generic over ["b", 2, "max(1, ceildiv(n, 16))", 8, 12] ins(%[[LOOP]]#1 :
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 16))", 16, 12] reduce [8] {{.*}}ins(%{{.*}}, %[[S]] :
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 16))", 16, 12] reduce [16] {{.*}}ins(%[[KEPT]],
// CHECK: %[[O:.*]] = heddle.generic over ["b", 2, "16 * max(1, ceildiv(n, 16))", 12]
// CHECK: %[[Y:.*]] = heddle.generic over ["b", 2, "n", 12] tables(%[[O]] :
// CHECK: %[[LAST:.*]] = heddle.generic over ["b", 2, 8, 12] ins(%[[LOOP]]#1 :
// CHECK: return %[[Y]], %[[LAST]]
func.func @linear_attention(%q: tensor<?x2x?x8xf32> {heddle.sizes = ["b", "n"]}, %v: tensor<?x2x?x12xf32> {heddle.sizes = ["b", "n"]})
    -> (tensor<?x2x?x12xf32>, tensor<?x2x8x12xf32>) {
  %o, %s = heddle.linear_attention %q, %q, %v chunk(16)
     : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x12xf32> -> tensor<?x2x?x12xf32>, tensor<?x2x8x12xf32>
  return %o, %s : tensor<?x2x?x12xf32>, tensor<?x2x8x12xf32>
}

// Of one token, known when compiling, there is neither a loop nor padding.
// CHECK-LABEL: func.func @token
// CHECK-NOT: scf.for
// CHECK-NOT: heddle.read
// CHECK: heddle.generic over ["b", 2, 8, 12] reduce [1]
// CHECK-NOT: heddle.read
// CHECK: return
func.func @token(%q: tensor<?x2x1x8xf32> {heddle.sizes = ["b"]}, %v: tensor<?x2x1x12xf32> {heddle.sizes = ["b"]},
    %g: tensor<?x2x1xf32> {heddle.sizes = ["b"]}, %s: tensor<?x2x8x12xf32> {heddle.sizes = ["b"]})
    -> (tensor<?x2x1x12xf32>, tensor<?x2x8x12xf32>) {
  %o, %t = heddle.linear_attention %q, %q, %v gates(%g : tensor<?x2x1xf32>) state(%s : tensor<?x2x8x12xf32>)
     : tensor<?x2x1x8xf32>, tensor<?x2x1x8xf32>, tensor<?x2x1x12xf32> -> tensor<?x2x1x12xf32>, tensor<?x2x8x12xf32>
  return %o, %t : tensor<?x2x1x12xf32>, tensor<?x2x8x12xf32>
}

// The triangular system of a chunk of 8: from inverses of pairs to those of blocks of 4 and 8.
// CHECK-LABEL: func.func @gated_delta_rule
// CHECK: math.exp
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 8, 8] reduce [4]
// CHECK: arith.cmpi slt
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 8, 8]
// CHECK-COUNT-2: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 2, 2, 2] reduce [2]
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 8, 8]
// CHECK-COUNT-2: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 1, 4, 4] reduce [4]
// CHECK: %[[X:.*]] = heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 8, 8]
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 8, 6] reduce [8] {{.*}}ins(%[[X]],
// CHECK: heddle.generic over ["b", 2, "max(1, ceildiv(n, 8))", 8, 4] reduce [8] {{.*}}ins(%[[X]],
// CHECK: scf.for
// CHECK: heddle.generic over ["b", 2, 8, 6] reduce [4]
// CHECK: arith.subf
// CHECK: scf.yield
func.func @gated_delta_rule(%q: tensor<?x2x?x4xf32> {heddle.sizes = ["b", "n"]}, %v: tensor<?x2x?x6xf32> {heddle.sizes = ["b", "n"]},
    %b: tensor<?x2x?xf32> {heddle.sizes = ["b", "n"]}) -> tensor<?x2x?x6xf32> {
  %o = heddle.gated_delta_rule %q, %q, %v strengths(%b) gates(%b : tensor<?x2x?xf32>) chunk(8)
     : tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>, tensor<?x2x?x6xf32>, tensor<?x2x?xf32> -> tensor<?x2x?x6xf32>
  return %o : tensor<?x2x?x6xf32>
}
