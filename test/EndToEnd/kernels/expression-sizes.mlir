// --verify finds sizes of calls that expressions do not refuse.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified repeated: 1 kernels, worst error
// CHECK: verified shorter: 2 kernels, worst error
// CHECK: verified much_shorter: 1 kernels, worst error
// CHECK: verified parts: 1 kernels, worst error

// 1 or 5, in each call.
func.func @repeated(%x: tensor<?xf32> {heddle.sizes = ["a + 1"]}, %y: tensor<5xf32>) -> tensor<5xf32> {
  %z:2 = heddle.broadcast_tensors %x, %y : tensor<?xf32>, tensor<5xf32> -> tensor<5xf32>, tensor<5xf32>
  %s = arith.addf %z#0, %z#1 : tensor<5xf32>
  return %s : tensor<5xf32>
}

func.func @shorter(%x: tensor<?xf32> {heddle.sizes = ["n - 55"]}, %y: tensor<?xf32> {heddle.sizes = ["n"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %s = math.exp %x : tensor<?xf32>
  %t = math.exp %y : tensor<?xf32>
  return %s, %t : tensor<?xf32>, tensor<?xf32>
}

func.func @much_shorter(%x: tensor<?xf32> {heddle.sizes = ["n - 81"]}) -> tensor<?xf32> {
  %s = math.exp %x : tensor<?xf32>
  return %s : tensor<?xf32>
}

func.func @parts(%x: tensor<?xf32> {heddle.sizes = ["n"]}, %y: tensor<?xf32> {heddle.sizes = ["3 * k"]}) -> tensor<?xf32> {
  %z:2 = heddle.split %x axis(0) sizes ["3 * k", "n - 3 * k"] : tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
  %s = arith.addf %z#0, %y : tensor<?xf32>
  return %s : tensor<?xf32>
}
