// A reduction for each row of what another op computes, where a row of its results has no
// known size: a task cannot keep it.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified columns:
func.func @columns(%x: tensor<5x?xi32> {heddle.sizes = ["m"]}, %y: tensor<?x?xi32> {heddle.sizes = ["m", "m"]},
    %t: tensor<5x16xi32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %g = heddle.gather_elements %t, %x axis(1) : tensor<5x16xi32>, tensor<5x?xi32> -> tensor<5x?xi32>
  %z = heddle.matmul %y, %g transpose_a transpose_b : tensor<?x?xi32>, tensor<5x?xi32> -> tensor<?x5xi32>
  %a = heddle.cast %z : tensor<?x5xi32> -> tensor<?x5xf32>
  %b = math.sin %a : tensor<?x5xf32>
  return %a, %b : tensor<?x5xf32>, tensor<?x5xf32>
}

// Of what a strip keeps there is room for one vector.
// CHECK: verified narrow_strips:
func.func @narrow_strips(%x: tensor<15x62x?x2xf32> {heddle.sizes = ["n"]}) -> (tensor<15x62x?x1xf32>, tensor<15x62x?x1xi32>) {
  %v, %i = heddle.top_k %x axis(3) k(1) : tensor<15x62x?x2xf32> -> tensor<15x62x?x1xf32>, tensor<15x62x?x1xi32>
  return %v, %i : tensor<15x62x?x1xf32>, tensor<15x62x?x1xi32>
}
