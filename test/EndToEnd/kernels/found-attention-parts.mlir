// Parts of scores and of weights, which begin where these do: their coordinates are those of the
// whole, but no attention is all of it.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified first_weight as a whole
// CHECK: verified some_weights as a whole
// CHECK: verified larger_maximum as a whole
// CHECK: verified some_scores as a whole
// CHECK: verified smaller_sum as a whole
// CHECK: verified heads_of_scores as a whole
// CHECK: verified heads_of_weights as a whole
// CHECK: verified first_query as a whole
// CHECK: verified first_sequence as a whole
// CHECK: verified first_scores as a whole

func.func @first_weight(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x1x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %w0 = heddle.slice %w offsets [0,0,0,0] sizes [2,3,17,1] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %o = heddle.matmul %w0, %v : tensor<2x3x17x1xf32>, tensor<2x3x1x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @some_weights(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x20x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %w0 = heddle.slice %w offsets [0,0,0,0] sizes [2,3,17,20] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x3x17x20xf32>
  %o = heddle.matmul %w0, %v : tensor<2x3x17x20xf32>, tensor<2x3x20x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @larger_maximum(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x20x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %m = heddle.reduce max %s axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %mb = heddle.broadcast %m to [2, 3, 17, 20] : tensor<2x3x17x1xf32> -> tensor<2x3x17x20xf32>
  %s0 = heddle.slice %s offsets [0,0,0,0] sizes [2,3,17,20] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x3x17x20xf32>
  %d = arith.subf %s0, %mb : tensor<2x3x17x20xf32>
  %e = math.exp %d : tensor<2x3x17x20xf32>
  %t = heddle.reduce sum %e axes [3] keep_sizes : tensor<2x3x17x20xf32> -> tensor<2x3x17x1xf32>
  %tb = heddle.broadcast %t to [2, 3, 17, 20] : tensor<2x3x17x1xf32> -> tensor<2x3x17x20xf32>
  %w = arith.divf %e, %tb : tensor<2x3x17x20xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x20xf32>, tensor<2x3x20x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @some_scores(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x20x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s0 = heddle.slice %s offsets [0,0,0,0] sizes [2,3,17,20] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x3x17x20xf32>
  %s1 = math.tanh %s0 : tensor<2x3x17x20xf32>
  %w = heddle.softmax %s1 axis(3) : tensor<2x3x17x20xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x20xf32>, tensor<2x3x20x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @smaller_sum(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %m = heddle.reduce max %s axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %mb = heddle.broadcast %m to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %d = arith.subf %s, %mb : tensor<2x3x17x40xf32>
  %e = math.exp %d : tensor<2x3x17x40xf32>
  %e0 = heddle.slice %e offsets [0,0,0,0] sizes [2,3,17,20] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x3x17x20xf32>
  %t = heddle.reduce sum %e0 axes [3] keep_sizes : tensor<2x3x17x20xf32> -> tensor<2x3x17x1xf32>
  %tb = heddle.broadcast %t to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %w = arith.divf %e, %tb : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @heads_of_scores(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x2x40x16xf32>) -> tensor<2x2x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s0 = heddle.slice %s offsets [0,0,0,0] sizes [2,2,17,40] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x2x17x40xf32>
  %w = heddle.softmax %s0 axis(3) : tensor<2x2x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x2x17x40xf32>, tensor<2x2x40x16xf32> -> tensor<2x2x17x16xf32>
  return %o : tensor<2x2x17x16xf32>
}

func.func @heads_of_weights(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x2x40x16xf32>) -> tensor<2x2x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %w0 = heddle.slice %w offsets [0,0,0,0] sizes [2,2,17,40] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x2x17x40xf32>
  %o = heddle.matmul %w0, %v : tensor<2x2x17x40xf32>, tensor<2x2x40x16xf32> -> tensor<2x2x17x16xf32>
  return %o : tensor<2x2x17x16xf32>
}

func.func @first_query(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x1x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %w0 = heddle.slice %w offsets [0,0,0,0] sizes [2,3,1,40] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<2x3x1x40xf32>
  %o = heddle.matmul %w0, %v : tensor<2x3x1x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x1x16xf32>
  return %o : tensor<2x3x1x16xf32>
}

func.func @first_sequence(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<1x3x40x16xf32>) -> tensor<1x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %w0 = heddle.slice %w offsets [0,0,0,0] sizes [1,3,17,40] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<1x3x17x40xf32>
  %o = heddle.matmul %w0, %v : tensor<1x3x17x40xf32>, tensor<1x3x40x16xf32> -> tensor<1x3x17x16xf32>
  return %o : tensor<1x3x17x16xf32>
}

func.func @first_scores(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<1x3x40x16xf32>) -> tensor<1x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s0 = heddle.slice %s offsets [0,0,0,0] sizes [1,3,17,40] steps [1,1,1,1] : tensor<2x3x17x40xf32> -> tensor<1x3x17x40xf32>
  %w = heddle.softmax %s0 axis(3) : tensor<1x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<1x3x17x40xf32>, tensor<1x3x40x16xf32> -> tensor<1x3x17x16xf32>
  return %o : tensor<1x3x17x16xf32>
}
