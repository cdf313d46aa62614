// RUN: heddle-opt %s --split-input-file --heddle-resolve-sizes --heddle-declare-roles | FileCheck %s

// What is not declared may be 0, unless an op would have no size, or an argument no value.

// CHECK-LABEL: func.func @any(
// CHECK-SAME: [#heddle.symbol<"n", 0 to {{[0-9]+}}>, #heddle.symbol<"m", 0 to
func.func @any(%x: tensor<?x4xf32> {heddle.sizes = ["n"]}, %y: tensor<?x4xf32> {heddle.sizes = ["m"]})
    -> (tensor<?x4xf32>, tensor<4xf32>) {
  %z = heddle.concat %x, %y axis(0) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %s = heddle.reduce max %z axes [0] : tensor<?x4xf32> -> tensor<4xf32>
  return %z, %s : tensor<?x4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @first(
// CHECK-SAME: [#heddle.symbol<"n", 1 to {{[0-9]+}}>, #heddle.symbol<"m", 0 to
func.func @first(%x: tensor<?x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<1x?xf32> {
  %y = heddle.slice %x offsets [0, 0] sizes [1, "m"] steps [1, 1] : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

// -----

// CHECK-LABEL: func.func @largest(
// CHECK-SAME: [#heddle.symbol<"n", 1 to
func.func @largest(%x: tensor<2x?xf32> {heddle.sizes = ["n"]}) -> tensor<2xi32> {
  %y = heddle.arg_reduce max %x axis(1) : tensor<2x?xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @ids(
// CHECK-SAME: [#heddle.symbol<"m", 0 to {{[0-9]+}}>, #heddle.symbol<"n", 1 to
func.func @ids(%i: tensor<?xi32> {heddle.sizes = ["m"], heddle.values = #heddle.values<0 to "n - 1">}, %x: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %y = heddle.gather %x, %i axis(0) : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @halves(
// CHECK-SAME: [#heddle.symbol<"n", 1 to
func.func @halves(%x: tensor<?xf32> {heddle.sizes = ["n * floordiv(12, n)"]}) -> tensor<?xf32> {
  %y = arith.negf %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @columns(
// CHECK-SAME: [#heddle.symbol<"queries", 1 to {{[0-9]+}}, counts length>, #heddle.symbol<"keys", 0 to
func.func @columns(%q: tensor<1x?x8xf32> {heddle.sizes = ["queries"]}, %k: tensor<1x?x8xf32> {heddle.sizes = ["keys"]})
    -> tensor<1x1x?xf32> {
  %s = heddle.attention %q, %k, %k heads(1, kv = 1) results(column_sums)
      : tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>
  return %s : tensor<1x1x?xf32>
}

// -----

// A loop that ends by what it computes may find nothing that ends it.
// CHECK-LABEL: func.func @settled(
// CHECK-SAME: [#heddle.symbol<"n", 1 to
func.func @settled(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %limit = arith.constant 0.5 : f32
  %y = scf.while (%now = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %mean = heddle.reduce mean %now axes [0] : tensor<?xf32> -> tensor<f32>
    %number = tensor.extract %mean[] : tensor<f32>
    %goesOn = arith.cmpf uge, %number, %limit : f32
    scf.condition(%goesOn) %now : tensor<?xf32>
  } do {
  ^bb0(%now: tensor<?xf32>):
    %next = math.tanh %now : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// A sequence may have nothing that is appended, and what is declared of one size is nothing to
// others.
// CHECK-LABEL: func.func @append(
// CHECK-SAME: heddle.values = #heddle.values<0 to "len">
// CHECK-SAME: #heddle.symbol<"len", 0 to 16
// CHECK-SAME: #heddle.symbol<"batch", 0 to
// CHECK-SAME: #heddle.symbol<"capacity", 0 to
func.func @append(%c: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}, %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "len"]},
    %s: tensor<?xi32> {heddle.sizes = ["batch"]}, %l: tensor<?xi32> {heddle.sizes = ["batch"]}) -> !heddle.cache<1 x 1 x 8 x f32>
    attributes {heddle.symbols = [#heddle.symbol<"len", 0 to 16>]} {
  %n = heddle.cache.append %c, %k, %k layer(0) at(%s) lengths(%l) : !heddle.cache<1 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %n : !heddle.cache<1 x 1 x 8 x f32>
}
