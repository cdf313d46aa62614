// Rows of sums, joined with a dimension of unknown size: how many of the sums a row needs is not
// known where they would be kept, so that another kernel computes them.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified flattened as a whole
// CHECK: verified normalized as a whole
// CHECK: verified centred as a whole
// CHECK: verified reduced as a whole

func.func @flattened(%x: tensor<?x6x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?xf32> {
  %y = heddle.log_softmax %x axis(2) : tensor<?x6x?xf32>
  %z = heddle.reshape %y to ["n", -1] : tensor<?x6x?xf32> -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// What is made of a sum needs it.
func.func @normalized(%x: tensor<?x6x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?xf32> {
  %s = arith.mulf %x, %x : tensor<?x6x?xf32>
  %m = heddle.reduce sum %s axes [2] keep_sizes : tensor<?x6x?xf32> -> tensor<?x6x1xf32>
  %q = math.sqrt %m : tensor<?x6x1xf32>
  %b = heddle.broadcast %q to ["n", 6, "m"] : tensor<?x6x1xf32> -> tensor<?x6x?xf32>
  %d = arith.divf %x, %b : tensor<?x6x?xf32>
  %z = heddle.reshape %d to ["n", -1] : tensor<?x6x?xf32> -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func @centred(%x: tensor<?x6x?xf32> {heddle.sizes = ["n", "n"]}) -> tensor<?xf32> {
  %m = heddle.reduce mean %x axes [2] keep_sizes : tensor<?x6x?xf32> -> tensor<?x6x1xf32>
  %b = heddle.broadcast %m to ["n", 6, "n"] : tensor<?x6x1xf32> -> tensor<?x6x?xf32>
  %d = arith.subf %x, %b : tensor<?x6x?xf32>
  %z = heddle.reshape %d to ["n", "6 * n"] : tensor<?x6x?xf32> -> tensor<?x?xf32>
  %s = heddle.reduce sum %z axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %s : tensor<?xf32>
}

func.func @reduced(%x: tensor<?x?x8x?xf32> {heddle.sizes = ["n", "m", "n"]}) -> tensor<?x?x?xf32> {
  %m = heddle.reduce max %x axes [3] keep_sizes : tensor<?x?x8x?xf32> -> tensor<?x?x8x1xf32>
  %b = heddle.broadcast %m to ["n", "m", 8, "n"] : tensor<?x?x8x1xf32> -> tensor<?x?x8x?xf32>
  %p = arith.mulf %x, %b : tensor<?x?x8x?xf32>
  %r = heddle.reshape %p to ["n", "m", "8 * n"] : tensor<?x?x8x?xf32> -> tensor<?x?x?xf32>
  %l = heddle.reduce max %r axes [2] keep_sizes : tensor<?x?x?xf32> -> tensor<?x?x1xf32>
  %c = heddle.broadcast %l to ["n", "m", "8 * n"] : tensor<?x?x1xf32> -> tensor<?x?x?xf32>
  %y = arith.subf %r, %c : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
