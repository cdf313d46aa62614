// Reductions over no axes, and over every element there is.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified elements as a whole
// CHECK: verified one as a whole

func.func @elements(%x: tensor<6xf32>, %i: tensor<6xi32>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi32>) {
  %max = heddle.reduce max %x axes [] : tensor<6xf32> -> tensor<6xf32>
  %mean = heddle.reduce mean %x axes [] : tensor<6xf32> -> tensor<6xf32>
  %l2 = heddle.reduce l2 %x axes [] : tensor<6xf32> -> tensor<6xf32>
  %log = heddle.reduce log_sum_exp %x axes [] : tensor<6xf32> -> tensor<6xf32>
  %sum = heddle.reduce sum %i axes [] : tensor<6xi32> -> tensor<6xi32>
  return %max, %mean, %l2, %log, %sum
      : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi32>
}

func.func @one(%x: tensor<6xf32>) -> tensor<f32> {
  %sum = heddle.reduce sum %x axes [0] : tensor<6xf32> -> tensor<f32>
  %l2 = heddle.reduce l2 %sum axes [] : tensor<f32> -> tensor<f32>
  return %l2 : tensor<f32>
}
