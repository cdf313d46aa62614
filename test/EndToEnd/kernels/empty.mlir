// Sizes of 0: known ones, and those of a call, each of which --verify makes 0 once. Sums are 0,
// maxima -inf, and rows of attention without keys 0.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified static_rows: 0 kernels
// CHECK: verified static_sums: {{[0-9]+}} kernels
// CHECK: verified static_weights: {{[0-9]+}} kernels
// CHECK: verified static_hidden: {{[0-9]+}} kernels
// CHECK: verified static_keys: {{[0-9]+}} kernels
// CHECK: verified joined: {{[0-9]+}} kernels
// CHECK: verified sums: {{[0-9]+}} kernels
// CHECK: verified products: {{[0-9]+}} kernels
// CHECK: verified rows: {{[0-9]+}} kernels
// CHECK: verified attended: {{[0-9]+}} kernels
// CHECK: verified causal: {{[0-9]+}} kernels
// CHECK: verified documents: {{[0-9]+}} kernels
// CHECK: verified scores: {{[0-9]+}} kernels
// CHECK: verified biased: {{[0-9]+}} kernels
// CHECK: verified loops: {{[0-9]+}} kernels
// CHECK: verified static_inputs: {{[0-9]+}} kernels
// CHECK: verified static_text: {{[0-9]+}} kernels

func.func @static_rows(%x: tensor<2x0x4xf32>) -> (tensor<2x0x4xf32>, tensor<0xf32>) {
  %y = heddle.activation gelu_tanh %x : tensor<2x0x4xf32>
  %z = heddle.reshape %y to [0] : tensor<2x0x4xf32> -> tensor<0xf32>
  return %y, %z : tensor<2x0x4xf32>, tensor<0xf32>
}

func.func @static_sums(%x: tensor<5x0xf32>, %a: tensor<5x0xf32>, %b: tensor<0x7xf32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x7xf32>) {
  %sum = heddle.reduce sum %x axes [1] : tensor<5x0xf32> -> tensor<5xf32>
  %max = heddle.reduce max %x axes [1] : tensor<5x0xf32> -> tensor<5xf32>
  %product = heddle.reduce product %x axes [1] : tensor<5x0xf32> -> tensor<5xf32>
  %c = heddle.matmul %a, %b : tensor<5x0xf32>, tensor<0x7xf32> -> tensor<5x7xf32>
  return %sum, %max, %product, %c : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x7xf32>
}

heddle.weight @no_outputs = dense<> : tensor<0x8xf32>
heddle.weight @no_inputs = dense<> : tensor<8x0xf32>
heddle.weight @bias = dense<0.5> : tensor<8xf32>
func.func @static_weights(%x: tensor<3x8xf32>) -> (tensor<3x0xf32>, tensor<3x8xf32>, tensor<3x8xf32>) {
  %a = heddle.weight_ref @no_outputs : tensor<0x8xf32>
  %b = heddle.weight_ref @no_inputs : tensor<8x0xf32>
  %c = heddle.weight_ref @bias : tensor<8xf32>
  %y = heddle.linear %x, %a : tensor<3x8xf32>, tensor<0x8xf32>
  %z = heddle.linear %y, %b bias(%c : tensor<8xf32>) : tensor<3x0xf32>, tensor<8x0xf32>
  %w = heddle.concat %x, %a axis(0) : tensor<3x8xf32>, tensor<0x8xf32> -> tensor<3x8xf32>
  return %y, %z, %w : tensor<3x0xf32>, tensor<3x8xf32>, tensor<3x8xf32>
}

// A feed-forward layer of which nothing is left between its two linear layers.
func.func @static_hidden(%x: tensor<?x16xf32> {heddle.sizes = ["n"]}, %u: tensor<0x16xf32>,
    %d: tensor<16x0xf32>) -> tensor<?x16xf32> {
  %y = heddle.feed_forward relu %x, %u, %d : tensor<?x16xf32>, tensor<0x16xf32>, tensor<16x0xf32>
  return %y : tensor<?x16xf32>
}

func.func @static_keys(%q: tensor<2x5x32xf32>, %k: tensor<2x0x32xf32>, %past: tensor<2x0x32xf32>,
    %new: tensor<2x5x32xf32>) -> (tensor<2x5x32xf32>, tensor<2x5x32xf32>) {
  %none = heddle.attention %q, %k, %k heads(2, kv = 2)
      : tensor<2x5x32xf32>, tensor<2x0x32xf32>, tensor<2x0x32xf32>
  %all = heddle.concat %past, %new axis(1) : tensor<2x0x32xf32>, tensor<2x5x32xf32> -> tensor<2x5x32xf32>
  %first = heddle.attention %q, %all, %all heads(2, kv = 2)
      : tensor<2x5x32xf32>, tensor<2x5x32xf32>, tensor<2x5x32xf32>
  return %none, %first : tensor<2x5x32xf32>, tensor<2x5x32xf32>
}

func.func @joined(%past: tensor<?x3x?x8xf32> {heddle.sizes = ["batch", "past"]},
    %new: tensor<?x3x?x8xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x3x?x8xf32>, tensor<?x?x24xf32>) {
  %all = heddle.concat %past, %new axis(2)
       : tensor<?x3x?x8xf32>, tensor<?x3x?x8xf32> -> tensor<?x3x?x8xf32>
  %moved = heddle.transpose %all permutation [0, 2, 1, 3] : tensor<?x3x?x8xf32> -> tensor<?x?x3x8xf32>
  %flat = heddle.reshape %moved to ["batch", "past + length", 24] : tensor<?x?x3x8xf32> -> tensor<?x?x24xf32>
  return %all, %flat : tensor<?x3x?x8xf32>, tensor<?x?x24xf32>
}

func.func @sums(%x: tensor<?x?xf32> {heddle.sizes = ["n", "m"]})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<f32>) {
  %sum = heddle.reduce sum %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %max = heddle.reduce max %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %min = heddle.reduce min %x axes [0] : tensor<?x?xf32> -> tensor<?xf32>
  %mean = heddle.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %soft = heddle.softmax %x axis(1) : tensor<?x?xf32>
  %all = heddle.reduce sum %x axes [0, 1] : tensor<?x?xf32> -> tensor<f32>
  return %sum, %max, %min, %mean, %soft, %all
       : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<f32>
}

func.func @products(%a: tensor<?x?xf32> {heddle.sizes = ["n", "k"]}, %b: tensor<?x?xf32> {heddle.sizes = ["k", "m"]},
    %w: tensor<48x64xf32>, %x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> (tensor<?x?xf32>, tensor<?x48xf32>) {
  %c = heddle.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<48x64xf32>
  return %c, %y : tensor<?x?xf32>, tensor<?x48xf32>
}

func.func @rows(%t: tensor<?x40xf32> {heddle.sizes = ["rows"]}, %i: tensor<?xi64> {heddle.sizes = ["count"]},
    %u: tensor<?x40xf32> {heddle.sizes = ["count"]}) -> (tensor<?x40xf32>, tensor<?x40xf32>, tensor<?x43xf32>) {
  %g = heddle.gather %t, %i axis(0) : tensor<?x40xf32>, tensor<?xi64> -> tensor<?x40xf32>
  %s = heddle.scatter add %t, %i, %u axis(0) : tensor<?x40xf32>, tensor<?xi64>, tensor<?x40xf32> -> tensor<?x40xf32>
  %p = heddle.pad %t low [0, 1] high [0, 2] value(1.0 : f32) : tensor<?x40xf32> -> tensor<?x43xf32>
  return %g, %s, %p : tensor<?x40xf32>, tensor<?x40xf32>, tensor<?x43xf32>
}

func.func @attended(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]}) -> (tensor<?x?x64xf32>, tensor<?x2x?xf32>) {
  %y, %l = heddle.attention %q, %k, %k heads(2, kv = 2) results(output, log_sum_exp)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y, %l : tensor<?x?x64xf32>, tensor<?x2x?xf32>
}

func.func @causal(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %y = heddle.attention %q, %k, %k mask(%m) heads(2, kv = 2)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @documents(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]}, %a: tensor<?x?xi32> {heddle.sizes = ["batch", "queries"]},
    %b: tensor<?x?xi32> {heddle.sizes = ["batch", "keys"]}, %d: tensor<?x?xi1> {heddle.sizes = ["queries", "keys"]})
    -> tensor<?x?x64xf32> {
  %same = heddle.mask.documents %a, %b : tensor<?x?xi32>, tensor<?x?xi32>
  %dense = heddle.mask.dense %d over(query, key) : tensor<?x?xi1>
  %m = heddle.mask.and %same, %dense
  %y = heddle.attention %q, %k, %k mask(%m) heads(2, kv = 2)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @scores(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]}) -> (tensor<?x?x64xf32>, tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>) {
  %y, %w, %s = heddle.attention %q, %k, %k heads(2, kv = 2) results(output, weights, raw_scores)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y, %w, %s : tensor<?x?x64xf32>, tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>
}

func.func @biased(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x64xf32> {heddle.sizes = ["batch", "keys"]}, %b: tensor<?x?xf32> {heddle.sizes = ["queries", "keys"]},
    %sink: tensor<2xf32>) -> tensor<?x?x64xf32> {
  %y = heddle.attention %q, %k, %k sinks(%sink : tensor<2xf32>) heads(2, kv = 2)
      score(%b : tensor<?x?xf32>) {
      ^bb0(%s: tensor<?x2x?x?xf32>, %c: tensor<?x?xf32>):
        %w = heddle.expand %c axes [0, 1] : tensor<?x?xf32> -> tensor<1x1x?x?xf32>
        %all = heddle.broadcast %w to ["batch", 2, "queries", "keys"] : tensor<1x1x?x?xf32> -> tensor<?x2x?x?xf32>
        %0 = arith.addf %s, %all : tensor<?x2x?x?xf32>
        heddle.yield %0 : tensor<?x2x?x?xf32>
      } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// No step at all, and steps over nothing.
func.func @loops(%x: tensor<?x?xf32> {heddle.sizes = ["steps", "n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = heddle.reduce sum %x axes [0] : tensor<?x?xf32> -> tensor<?xf32>
  %y = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> tensor<?xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %next = arith.addf %sum, %row : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// Gates that are those of the state alone.
func.func @static_inputs(%x: tensor<?x0xf32> {heddle.sizes = ["n"]}, %h: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %w: tensor<12x0xf32>, %u: tensor<12x4xf32>) -> tensor<?x4xf32> {
  %y = heddle.gru_cell %x, %h, %w, %u : tensor<?x0xf32>, tensor<?x4xf32>, tensor<12x0xf32>, tensor<12x4xf32>
  return %y : tensor<?x4xf32>
}

// A text without a token leaves the state.
func.func @static_text(%q: tensor<2x2x0x8xf32>, %s: tensor<2x2x8x8xf32>) -> (tensor<2x2x0x8xf32>, tensor<2x2x8x8xf32>) {
  %y, %z = heddle.linear_attention %q, %q, %q state(%s : tensor<2x2x8x8xf32>) : tensor<2x2x0x8xf32>, tensor<2x2x0x8xf32>, tensor<2x2x0x8xf32> -> tensor<2x2x0x8xf32>, tensor<2x2x8x8xf32>
  return %y, %z : tensor<2x2x0x8xf32>, tensor<2x2x8x8xf32>
}
