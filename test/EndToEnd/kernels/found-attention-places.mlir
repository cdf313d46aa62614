// Weights that something reads before the values exist, or that the values are made of, and sums
// that do not begin as those of attention.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// CHECK: verified read_before: 5 kernels
// CHECK: verified values_of_weights:
// CHECK: verified values_are_weights:
// CHECK: verified sums_begin_elsewhere:
// CHECK: verified maximum_begins_elsewhere:

// The attention stands where its weights are first read, for which the values move.
// KERNELS-LABEL: func.func @read_before(
// KERNELS: heddle.launch @read_before_attention(
// KERNELS: return
func.func @read_before(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>, %x: tensor<3x40x16xf32>, %p: tensor<16x24xf32>)
   -> (tensor<3x17x40xf32>, tensor<3x17x24xf32>) {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  %t = math.tanh %w : tensor<3x17x40xf32>
  %v = heddle.matmul %x, %p : tensor<3x40x16xf32>, tensor<16x24xf32> -> tensor<3x40x24xf32>
  %o = heddle.matmul %w, %v : tensor<3x17x40xf32>, tensor<3x40x24xf32> -> tensor<3x17x24xf32>
  return %t, %o : tensor<3x17x40xf32>, tensor<3x17x24xf32>
}

// KERNELS-LABEL: func.func @values_of_weights(
// KERNELS-NOT: attention
// KERNELS: return
func.func @values_of_weights(%q: tensor<3x40x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x40x40xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x40x16xf32>, tensor<3x40x16xf32> -> tensor<3x40x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x40x40xf32>
  %v = math.tanh %w : tensor<3x40x40xf32>
  %o = heddle.matmul %w, %v : tensor<3x40x40xf32>, tensor<3x40x40xf32> -> tensor<3x40x40xf32>
  return %o : tensor<3x40x40xf32>
}

// KERNELS-LABEL: func.func @values_are_weights(
// KERNELS-NOT: attention
// KERNELS: return
func.func @values_are_weights(%q: tensor<3x40x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x40x40xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x40x16xf32>, tensor<3x40x16xf32> -> tensor<3x40x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x40x40xf32>
  %o = heddle.matmul %w, %w : tensor<3x40x40xf32>, tensor<3x40x40xf32> -> tensor<3x40x40xf32>
  return %o : tensor<3x40x40xf32>
}

// The products of weights and values begin as 1.
// KERNELS-LABEL: func.func @sums_begin_elsewhere(
// KERNELS-NOT: attention
// KERNELS: return
func.func @sums_begin_elsewhere(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32>
  %o = heddle.generic over [3, 17, 16] reduce [40] initial [1.0 : f32] ins(%w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32>)
      maps [affine_map<(b, q, c, k) -> (b, q, k)>, affine_map<(b, q, c, k) -> (b, k, c)>] {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

// A softmax with one more term of score 0 in its maximum alone.
// KERNELS-LABEL: func.func @maximum_begins_elsewhere(
// KERNELS-NOT: attention
// KERNELS: return
func.func @maximum_begins_elsewhere(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x40x16xf32> -> tensor<3x17x40xf32>
  %m = heddle.generic over [3, 17, 1] reduce [40] initial [0.0 : f32] ins(%s : tensor<3x17x40xf32>)
      maps [affine_map<(b, q, o, k) -> (b, q, k)>] {
  ^bb0(%x: f32, %max: f32):
    %0 = arith.maximumf %max, %x : f32
    heddle.yield %0 : f32
  } : tensor<3x17x1xf32>
  %mb = heddle.broadcast %m to [3, 17, 40] : tensor<3x17x1xf32> -> tensor<3x17x40xf32>
  %d = arith.subf %s, %mb : tensor<3x17x40xf32>
  %e = math.exp %d : tensor<3x17x40xf32>
  %t = heddle.generic over [3, 17, 1] reduce [40] initial [1.0 : f32] ins(%e : tensor<3x17x40xf32>)
      maps [affine_map<(b, q, o, k) -> (b, q, k)>] {
  ^bb0(%x: f32, %sum: f32):
    %0 = arith.addf %sum, %x : f32
    heddle.yield %0 : f32
  } : tensor<3x17x1xf32>
  %tb = heddle.broadcast %t to [3, 17, 40] : tensor<3x17x1xf32> -> tensor<3x17x40xf32>
  %w = arith.divf %e, %tb : tensor<3x17x40xf32>
  %o = heddle.matmul %w, %k : tensor<3x17x40xf32>, tensor<3x40x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}
