// Values that several results of a kernel are made of.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified two: 1 kernel
func.func @two(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %e = math.exp %x : tensor<8x64xf32>
  %a = math.tanh %e : tensor<8x64xf32>
  %b = math.sin %e : tensor<8x64xf32>
  return %a, %b : tensor<8x64xf32>, tensor<8x64xf32>
}

// CHECK: verified sums: 1 kernel
func.func @sums(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}) -> (tensor<?x40xf32>, tensor<?x1xf32>) {
  %s = heddle.softmax %x axis(1) : tensor<?x40xf32>
  %a = math.absf %s : tensor<?x40xf32>
  %b = heddle.reduce l2 %s axes [1] keep_sizes : tensor<?x40xf32> -> tensor<?x1xf32>
  return %a, %b : tensor<?x40xf32>, tensor<?x1xf32>
}

// The results of one op that reduces nothing are computed one after the other, too.
// CHECK: verified angles: 1 kernel
func.func @angles(%x: tensor<7x?x9xf32> {heddle.sizes = ["n"]}) -> (tensor<7x?x9xf32>, tensor<7x?x9xf32>) {
  %s = heddle.softmax %x axis(2) : tensor<7x?x9xf32>
  %a, %b = math.sincos %s : tensor<7x?x9xf32>
  return %a, %b : tensor<7x?x9xf32>, tensor<7x?x9xf32>
}

// Those of a reduction are computed together.
// CHECK: verified best:
func.func @best(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}) -> (tensor<?x1xf32>, tensor<?x1xi64>) {
  %s = heddle.softmax %x axis(1) : tensor<?x40xf32>
  %v, %i = heddle.top_k %s axis(1) k(1) : tensor<?x40xf32> -> tensor<?x1xf32>, tensor<?x1xi64>
  return %v, %i : tensor<?x1xf32>, tensor<?x1xi64>
}

// A result that another is made of lies where the caller wants it, at no multiple of a vector.
// CHECK: verified of_odd_length: 1 kernel
func.func @of_odd_length(%x: tensor<63xf32>) -> (tensor<63xf32>, tensor<63xf32>) {
  %y = math.tanh %x : tensor<63xf32>
  %z = arith.addf %y, %y : tensor<63xf32>
  return %y, %z : tensor<63xf32>, tensor<63xf32>
}

// CHECK: verified of_any_length: 1 kernel
func.func @of_any_length(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = math.tanh %x : tensor<?xf32>
  %z = arith.addf %y, %y : tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// A sum that is computed once, before the rows of two results.
// CHECK: verified two_of_sums: 1 kernel
func.func @two_of_sums(%x: tensor<15xi32>, %i: tensor<31xi32>, %w: tensor<1x31xi32>) -> (tensor<31xi32>, tensor<1x31xi32>, tensor<1x31xi1>) {
  %g = heddle.gather_elements %x, %i axis(0) : tensor<15xi32>, tensor<31xi32> -> tensor<31xi32>
  %s = heddle.cumulative_sum %g axis(0) exclusive : tensor<31xi32>
  %r = heddle.reshape %s to [1, 31] : tensor<31xi32> -> tensor<1x31xi32>
  %y, %z = arith.addui_extended %r, %w : tensor<1x31xi32>, tensor<1x31xi1>
  %n = arith.ori %z, %z : tensor<1x31xi1>
  return %g, %y, %n : tensor<31xi32>, tensor<1x31xi32>, tensor<1x31xi1>
}
