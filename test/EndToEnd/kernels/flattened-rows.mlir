// Rows of sums, joined with a dimension of unknown size: how many of the sums a row needs is not
// known where they would be kept, so that another kernel computes them.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s

// CHECK: verified flattened as a whole

func.func @flattened(%x: tensor<?x6x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?xf32> {
  %y = heddle.log_softmax %x axis(2) : tensor<?x6x?xf32> -> tensor<?x6x?xf32>
  %z = heddle.reshape %y to ["n", -1] : tensor<?x6x?xf32> -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
