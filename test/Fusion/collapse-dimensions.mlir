// RUN: heddle-opt %s --heddle-to-kernels | FileCheck %s

// Rows of all sequences are one dimension.
// CHECK: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @rows
// CHECK: heddle.launch @rows_exp(%{{.*}}) : (tensor<?x?x64xf32, #heddle.sizes<"batch", "length">>)
// CHECK-SAME: -> tensor<?x?x64xf32, #heddle.sizes<"batch", "length">>
func.func @rows(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %y = math.exp %x : tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// Four dimensions, and a kernel that two functions share: their shapes are one.
// CHECK-LABEL: func.func @heads
// CHECK: heddle.launch @heads_tanh(
func.func @heads(%x: tensor<2x3x5x64xf32>) -> tensor<2x3x5x64xf32> {
  %y = math.tanh %x : tensor<2x3x5x64xf32>
  return %y : tensor<2x3x5x64xf32>
}
// CHECK-LABEL: func.func @matrix
// CHECK: heddle.launch @heads_tanh(
func.func @matrix(%x: tensor<30x64xf32>) -> tensor<30x64xf32> {
  %y = math.tanh %x : tensor<30x64xf32>
  return %y : tensor<30x64xf32>
}

// What is transposed stays apart.
// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x64xf32> {
  %y = heddle.transpose %x permutation [1, 0, 2] : tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

heddle.weight @w = dense<0.5> : tensor<32x64xf32>

// Beside a contraction the batch is worth a division.
// CHECK-LABEL: func.func @per_sequence
func.func @per_sequence(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]},
    %s: tensor<?x1x32xf32> {heddle.sizes = ["b"]}) -> tensor<?x?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x64xf32>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xf32>
  %t = heddle.broadcast %s to ["b", "l", 32] : tensor<?x1x32xf32> -> tensor<?x?x32xf32>
  %z = arith.addf %y, %t : tensor<?x?x32xf32>
  return %z : tensor<?x?x32xf32>
}

// CHECK: heddle.kernel @rows_exp(%{{.*}}: tensor<?x64xf32, #heddle.sizes<"batch * length">>
// CHECK: heddle.generic over ["batch * length", 64] {{.*}} maps [#[[ROWS]]]
// CHECK: heddle.kernel @heads_tanh(%{{.*}}: tensor<30x64xf32>
// CHECK: heddle.kernel @transposed_transpose(%{{.*}}: tensor<?x?x64xf32, #heddle.sizes<"b", "l">>
// CHECK: heddle.generic over ["l", "b", 64]
// CHECK: heddle.kernel @per_sequence_linear_{{.*}}(%{{.*}}: tensor<?x64xf32, #heddle.sizes<"b * l">>
// CHECK-SAME: tensor<?x1x32xf32, #heddle.sizes<"b">>
// CHECK: heddle.generic over ["b * l", 32] reduce [64] {{.*}}heddle.contraction
// CHECK: heddle.generic over ["b * l", 32] ins

// Two contractions that are computed together, but share no value: both or none.
// CHECK-LABEL: heddle.kernel @siblings_gru_cell2(
// CHECK-SAME: -> (tensor<?x24xf32, #heddle.sizes<"b * l">>, tensor<?x24xf32, #heddle.sizes<"b * l">>)
// CHECK: heddle.generic over ["b * l", 24] reduce [16]
// CHECK: heddle.generic over ["b * l", 24] reduce [8]
heddle.weight @wi = dense<0.5> : tensor<24x16xf32>
heddle.weight @uh = dense<0.5> : tensor<24x8xf32>
func.func @siblings(%x: tensor<?x?x16xf32> {heddle.sizes = ["b", "l"]}, %h: tensor<?x?x8xf32> {heddle.sizes = ["b", "l"]})
    -> tensor<?x?x8xf32> {
  %w = heddle.weight_ref @wi : tensor<24x16xf32>
  %u = heddle.weight_ref @uh : tensor<24x8xf32>
  %y = heddle.gru_cell %x, %h, %w, %u : tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<24x16xf32>, tensor<24x8xf32>
  return %y : tensor<?x?x8xf32>
}
