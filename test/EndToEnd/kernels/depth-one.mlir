// Sums of one product each, whose columns are the same for all that is summed.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// CHECK: verified outer as a whole
// CHECK: verified computed as a whole

func.func @outer(%a: tensor<66x1xf32>, %b: tensor<128x1xf32>) -> tensor<66x128xf32> {
  %n = math.absf %b : tensor<128x1xf32>
  %y = heddle.matmul %a, %n transpose_b : tensor<66x1xf32>, tensor<128x1xf32> -> tensor<66x128xf32>
  return %y : tensor<66x128xf32>
}

func.func @computed(%a: tensor<66x1xf32>, %b: tensor<16x1xf32>, %c: tensor<16xf32>) -> tensor<66x16xf32> {
  %n = math.absf %b : tensor<16x1xf32>
  %y = heddle.linear %a, %n bias(%c : tensor<16xf32>) : tensor<66x1xf32>, tensor<16x1xf32>
  return %y : tensor<66x16xf32>
}
