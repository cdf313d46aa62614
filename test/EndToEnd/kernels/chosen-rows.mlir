// Rows and matrices that a program gathers itself: as columns of a product, as matrices for each of
// two dimensions, and out of an older cache. They are no groups of experts, and are copied.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --quiet -o kernel.o | FileCheck %s
// CHECK-COUNT-4: verified {{.*}} as a whole

heddle.weight @table from "table" : tensor<50x40xf32>
heddle.weight @four from "four" : tensor<6x3x40x33xf32>

// Scores of candidates.
func.func @columns(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}, %ids: tensor<17xi32>) -> tensor<?x17xf32> {
  %t = heddle.weight_ref @table : tensor<50x40xf32>
  %m = heddle.gather %t, %ids axis(0) : tensor<50x40xf32>, tensor<17xi32> -> tensor<17x40xf32>
  %y = heddle.matmul %x, %m transpose_b : tensor<?x40xf32>, tensor<17x40xf32> -> tensor<?x17xf32>
  return %y : tensor<?x17xf32>
}

func.func @many_columns(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}, %ids: tensor<?xi32> {heddle.sizes = ["m"]}) -> tensor<?x?xf32> {
  %t = heddle.weight_ref @table : tensor<50x40xf32>
  %m = heddle.gather %t, %ids axis(0) : tensor<50x40xf32>, tensor<?xi32> -> tensor<?x40xf32>
  %y = heddle.matmul %x, %m transpose_b : tensor<?x40xf32>, tensor<?x40xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @matrices(%x: tensor<?x3x20x40xf32> {heddle.sizes = ["n"]}, %ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x3x20x33xf32> {
  %w = heddle.weight_ref @four : tensor<6x3x40x33xf32>
  %m = heddle.gather %w, %ids axis(0) : tensor<6x3x40x33xf32>, tensor<?xi32> -> tensor<?x3x40x33xf32>
  %y = heddle.matmul %x, %m : tensor<?x3x20x40xf32>, tensor<?x3x40x33xf32> -> tensor<?x3x20x33xf32>
  return %y : tensor<?x3x20x33xf32>
}

// One token without other dimensions, whose three experts read the same numbers.
heddle.weight @experts from "experts" : tensor<5x72x40xf32>
func.func @one_token(%x: tensor<40xf32>, %e: tensor<3xi32>) -> tensor<3x72xf32> {
  %w = heddle.weight_ref @experts : tensor<5x72x40xf32>
  %y = heddle.expert_linear %x, %e, %w : tensor<40xf32>, tensor<3xi32>, tensor<5x72x40xf32>
  return %y : tensor<3x72xf32>
}
