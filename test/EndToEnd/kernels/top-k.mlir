// heddle.top_k of either order, along any axis, and of as many elements as a size says, 0 and all of them
// among those. They are copies, so that nothing may differ.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified smallest: {{[0-9]+}} kernels
// CHECK: verified first_axis: {{[0-9]+}} kernels
// CHECK: verified as_many_as_asked: 2 kernels
// CHECK: verified all_sorted: 2 kernels
// CHECK: verified none: {{[0-9]+}} kernels

func.func @smallest(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}) -> (tensor<?x3xf32>, tensor<?x3xi32>) {
  %v, %i = heddle.top_k %x axis(1) k(3) smallest : tensor<?x40xf32> -> tensor<?x3xf32>, tensor<?x3xi32>
  return %v, %i : tensor<?x3xf32>, tensor<?x3xi32>
}

func.func @first_axis(%x: tensor<19x?x5xi8> {heddle.sizes = ["n"]}) -> (tensor<4x?x5xi8>, tensor<4x?x5xi64>) {
  %v, %i = heddle.top_k %x axis(0) k(4) : tensor<19x?x5xi8> -> tensor<4x?x5xi8>, tensor<4x?x5xi64>
  return %v, %i : tensor<4x?x5xi8>, tensor<4x?x5xi64>
}

// A call says how many.
func.func @as_many_as_asked(%x: tensor<3x?xf32> {heddle.sizes = ["n"]}) -> (tensor<3x?xf32>, tensor<3x?xi32>)
    attributes {heddle.symbols = [#heddle.symbol<"n", 8 to 512>, #heddle.symbol<"k", 0 to 8>]} {
  %v, %i = heddle.top_k %x axis(1) k("k") : tensor<3x?xf32> -> tensor<3x?xf32>, tensor<3x?xi32>
  return %v, %i : tensor<3x?xf32>, tensor<3x?xi32>
}

func.func @all_sorted(%x: tensor<?x6xbf16> {heddle.sizes = ["n"]}) -> (tensor<?x6xbf16>, tensor<?x6xi32>) {
  %v, %i = heddle.top_k %x axis(0) k("n") smallest : tensor<?x6xbf16> -> tensor<?x6xbf16>, tensor<?x6xi32>
  return %v, %i : tensor<?x6xbf16>, tensor<?x6xi32>
}

func.func @none(%x: tensor<?x6xf32> {heddle.sizes = ["n"]}) -> (tensor<?x0xf32>, tensor<?x0xi32>, tensor<?x6xf32>) {
  %v, %i = heddle.top_k %x axis(1) k(0) : tensor<?x6xf32> -> tensor<?x0xf32>, tensor<?x0xi32>
  %y = arith.addf %x, %x : tensor<?x6xf32>
  return %v, %i, %y : tensor<?x0xf32>, tensor<?x0xi32>, tensor<?x6xf32>
}
