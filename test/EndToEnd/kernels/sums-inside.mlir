// Reductions whose reader takes their elements in another order, or some of them: a vector of sums
// is no more than it needs, and reads no more.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified transposed_mean as a whole
// CHECK: verified broadcast_sum as a whole
// CHECK: verified transposed_product as a whole
// CHECK: verified every_other_sum as a whole
// CHECK: verified transposed_maximum as a whole
// CHECK: verified largest_two as a whole
// CHECK: verified largest_of_rows as a whole
// CHECK: verified experts as a whole
// CHECK: verified some_columns as a whole
// CHECK: verified beside_transposed as a whole
// CHECK: verified beside_every_other as a whole
// CHECK: verified both_transposed as a whole

func.func @transposed_mean(%x: tensor<5x16x16xf32>) -> tensor<16x16xf32> {
  %y = heddle.reduce mean %x axes [0] : tensor<5x16x16xf32> -> tensor<16x16xf32>
  %z = heddle.transpose %y permutation [1,0] : tensor<16x16xf32> -> tensor<16x16xf32>
  return %z : tensor<16x16xf32>
}

func.func @broadcast_sum(%x: tensor<5x16xf32>) -> tensor<16x8xf32> {
  %y = heddle.reduce sum %x axes [0] : tensor<5x16xf32> -> tensor<16xf32>
  %e = heddle.expand %y axes [1] : tensor<16xf32> -> tensor<16x1xf32>
  %z = heddle.broadcast %e to [16, 8] : tensor<16x1xf32> -> tensor<16x8xf32>
  return %z : tensor<16x8xf32>
}

func.func @transposed_product(%w: tensor<7x33xf32>, %v: tensor<33x8xf32>) -> tensor<8x7xf32> {
  %o = heddle.matmul %w, %v : tensor<7x33xf32>, tensor<33x8xf32> -> tensor<7x8xf32>
  %t = heddle.transpose %o permutation [1, 0] : tensor<7x8xf32> -> tensor<8x7xf32>
  return %t : tensor<8x7xf32>
}

func.func @every_other_sum(%w: tensor<7x33x32xf32>) -> tensor<7x16xf32> {
  %o = heddle.reduce sum %w axes [1] : tensor<7x33x32xf32> -> tensor<7x32xf32>
  %t = heddle.slice %o offsets [0, 1] sizes [7, 16] steps [1, 2] : tensor<7x32xf32> -> tensor<7x16xf32>
  return %t : tensor<7x16xf32>
}

func.func @transposed_maximum(%w: tensor<?x33x16xf32> {heddle.sizes=["n"]}) -> tensor<16x?xf32> {
  %o = heddle.reduce max %w axes [1] : tensor<?x33x16xf32> -> tensor<?x16xf32>
  %t = heddle.transpose %o permutation [1, 0] : tensor<?x16xf32> -> tensor<16x?xf32>
  return %t : tensor<16x?xf32>
}

func.func @largest_two(%x: tensor<16x5xf32>) -> (tensor<16x2xf32>, tensor<16x2xi32>) {
  %g, %h = heddle.top_k %x axis(1) k(2) : tensor<16x5xf32> -> tensor<16x2xf32>, tensor<16x2xi32>
  return %g, %h : tensor<16x2xf32>, tensor<16x2xi32>
}

func.func @largest_of_rows(%x: tensor<16x?xf32> {heddle.sizes=["n"]}) -> (tensor<16x2xf32>, tensor<16x2xi32>) attributes {heddle.symbols = [#heddle.symbol<"n", 2 to 4096>]} {
  %g, %h = heddle.top_k %x axis(1) k(2) : tensor<16x?xf32> -> tensor<16x2xf32>, tensor<16x2xi32>
  return %g, %h : tensor<16x2xf32>, tensor<16x2xi32>
}

func.func @experts(%x: tensor<16x64xf32>, %r: tensor<8x64xf32>, %g: tensor<8x24x64xf32>, %u: tensor<8x24x64xf32>, %d: tensor<8x64x24xf32>) -> tensor<16x64xf32> {
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d) top(2) normalized : tensor<16x64xf32>, tensor<8x64xf32>, tensor<8x24x64xf32>, tensor<8x24x64xf32>, tensor<8x64x24xf32>
  return %y : tensor<16x64xf32>
}

// Columns of a product of which fewer are left than a tile has.
func.func @some_columns(%x: tensor<34x16xf32>, %w: tensor<16x40xf32>) -> tensor<34x20xf32> {
  %y = heddle.matmul %x, %w : tensor<34x16xf32>, tensor<16x40xf32> -> tensor<34x40xf32>
  %s = heddle.slice %y offsets [0, 0] sizes [34, 20] steps [1, 1] : tensor<34x40xf32> -> tensor<34x20xf32>
  %z = math.tanh %s : tensor<34x20xf32>
  return %z : tensor<34x20xf32>
}

// Results that others are made of, with steps between what is read: Halide reads all that lies
// between of memory of its own, and a vector past the end.
func.func @beside_transposed(%x: tensor<16x2x3xf32> {heddle.name="x"}) -> (tensor<16x2xf32>, tensor<2x16xf32>) {
  %y = heddle.reduce sum %x axes [2] : tensor<16x2x3xf32> -> tensor<16x2xf32>
  %z = heddle.transpose %y permutation [1,0] : tensor<16x2xf32> -> tensor<2x16xf32>
  return %y, %z : tensor<16x2xf32>, tensor<2x16xf32>
}

func.func @beside_every_other(%x: tensor<9x33xf32>) -> (tensor<9x33xf32>, tensor<9x17xf32>) {
  %y = heddle.softmax %x axis(0) : tensor<9x33xf32>
  %z = heddle.slice %y offsets [0,0] sizes [9,17] steps [1,2] : tensor<9x33xf32> -> tensor<9x17xf32>
  return %y, %z : tensor<9x33xf32>, tensor<9x17xf32>
}

func.func @both_transposed(%x: tensor<7x?x32x40xbf16> {heddle.sizes = ["n"]}) -> (tensor<?x3x7x32xbf16>, tensor<?x3x32x7xbf16>) {
  %v1, %v2 = heddle.top_k %x axis(3) k(3) : tensor<7x?x32x40xbf16> -> tensor<7x?x32x3xbf16>, tensor<7x?x32x3xi32>
  %v3 = math.tanh %v1 : tensor<7x?x32x3xbf16>
  %v4 = heddle.transpose %v3 permutation [1,3,0,2] : tensor<7x?x32x3xbf16> -> tensor<?x3x7x32xbf16>
  %v5 = heddle.transpose %v1 permutation [1,3,2,0] : tensor<7x?x32x3xbf16> -> tensor<?x3x32x7xbf16>
  return %v4, %v5 : tensor<?x3x7x32xbf16>, tensor<?x3x32x7xbf16>
}
