// A reduction for each row of what another op computes, where a row of its results has no
// known size: a task cannot keep it.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified columns:
func.func @columns(%x: tensor<5x?xi32> {heddle.sizes = ["m"]}, %y: tensor<?x?xi32> {heddle.sizes = ["m", "m"]},
    %t: tensor<5x16xi32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %g = heddle.gather_elements %t, %x axis(1) : (tensor<5x16xi32>, tensor<5x?xi32>) -> tensor<5x?xi32>
  %z = heddle.matmul %y, %g transpose_a transpose_b : (tensor<?x?xi32>, tensor<5x?xi32>) -> tensor<?x5xi32>
  %a = heddle.cast %z : tensor<?x5xi32> -> tensor<?x5xf32>
  %b = math.sin %a : tensor<?x5xf32>
  return %a, %b : tensor<?x5xf32>, tensor<?x5xf32>
}
