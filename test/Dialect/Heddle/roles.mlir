// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @roles(
// CHECK-SAME: {heddle.padding = 2 : i64, heddle.role = #heddle.role<ids>, heddle.values = #heddle.values<0 to "99">}
// CHECK-SAME: {heddle.role = #heddle.role<starts>, heddle.values = #heddle.values<0 to "min(64, capacity)", plus argument(2)>}
// CHECK-SAME: {heddle.role = #heddle.role<lengths>, heddle.values = #heddle.values<1 to "8">}
// CHECK-SAME: {heddle.role = #heddle.role<positions>, heddle.values = #heddle.values<0 to "512", plus "2 * length">}
// CHECK-SAME: -> (tensor<4x8xf32> {heddle.padding = 2 : i64, heddle.role = #heddle.role<logits>})
// CHECK-SAME: heddle.symbols = [#heddle.symbol<"batch", 1 to 8, counts batch>, #heddle.symbol<"n", 2 to 4>]
func.func @roles(%ids: tensor<4x8xi32> {heddle.padding = 2, heddle.role = #heddle.role<ids>, heddle.values = #heddle.values<0 to "99">},
    %starts: tensor<4xi32> {heddle.role = #heddle.role<starts>, heddle.values = #heddle.values<0 to "min(64, capacity)", plus argument(2)>},
    %lengths: tensor<4xi32> {heddle.role = #heddle.role<lengths>, heddle.values = #heddle.values<1 to "8">},
    %at: tensor<4xi32> {heddle.role = #heddle.role<positions>, heddle.values = #heddle.values<0 to "512", plus "length + length">},
    %x: tensor<4x8xf32>) -> (tensor<4x8xf32> {heddle.padding = 2, heddle.role = #heddle.role<logits>})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 8, counts batch>, #heddle.symbol<"n", 2 to 4, counts other>]} {
  return %x : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @wide(
// CHECK-SAME: heddle.values = #heddle.values<0 to "99", plus argument(1)>
func.func @wide(%starts: tensor<4xi64> {heddle.values = #heddle.values<0 to "99", plus argument(1)>},
    %lengths: tensor<4xi64>) {
  return
}

// CHECK-LABEL: func.func @roles_of_encoders(
// CHECK-SAME: {heddle.role = #heddle.role<types>}
// CHECK-SAME: {heddle.role = #heddle.role<hidden>}
// CHECK-SAME: {heddle.role = #heddle.role<pooled>}
// CHECK-SAME: {heddle.role = #heddle.role<embedding>}
func.func @roles_of_encoders(%types: tensor<4x8xi32> {heddle.role = #heddle.role<types>}, %x: tensor<4x8x5xf32>, %y: tensor<4x5xf32>)
    -> (tensor<4x8x5xf32> {heddle.role = #heddle.role<hidden>}, tensor<4x5xf32> {heddle.role = #heddle.role<pooled>},
        tensor<4x5xf32> {heddle.role = #heddle.role<embedding>}) {
  return %x, %y, %y : tensor<4x8x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>
}
