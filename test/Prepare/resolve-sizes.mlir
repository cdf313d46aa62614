// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// CHECK-LABEL: func.func @expressions(
// CHECK-SAME: %{{.*}}: tensor<?x64xf32, #heddle.sizes<"length + past">> {heddle.name = "x"}) -> tensor<?x32xf32, #heddle.sizes<"length + past">>
// CHECK: heddle.linear {{.*}} : tensor<?x64xf32, #heddle.sizes<"length + past">>
func.func @expressions(%x: tensor<?x64xf32> {heddle.name = "x", heddle.sizes = ["past + length"]})
    -> tensor<?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xf32>
  return %y : tensor<?x32xf32>
}
heddle.weight @w = dense<0.5> : tensor<32x64xf32>

// Equal sizes need not be written in the same way.
// CHECK-LABEL: func.func @equal_sizes(
// CHECK: arith.addf {{.*}} : tensor<?x4xf32, #heddle.sizes<"2 * b">>
func.func @equal_sizes(%x: tensor<?x4xf32> {heddle.sizes = ["b + b"]},
    %y: tensor<?x4xf32> {heddle.sizes = ["2 * b"]}) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %y : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A size that is a number makes the dimension static.
// CHECK-LABEL: func.func @number(
// CHECK-SAME: %{{.*}}: tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @number(%x: tensor<?x4xf32> {heddle.sizes = ["ceildiv(60, 8)"]}) -> tensor<?x4xf32> {
  %0 = arith.negf %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @integer(
// CHECK-SAME: %{{.*}}: tensor<?x8xf32, #heddle.sizes<"b">>)
func.func @integer(%x: tensor<?x?xf32> {heddle.sizes = ["b", 8]}) -> tensor<?x?xf32> {
  %0 = arith.negf %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: heddle.kernel @kernel(
// CHECK-SAME: %{{.*}}: !heddle.cache<1 x 4 x 8 x f32, <"b", "32 * ceildiv(n, 32)">>)
heddle.kernel @kernel(%c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["b", "32 * ceildiv(n, 32)"]})
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  heddle.yield %k, %v : tensor<?x?x32xf32>, tensor<?x?x32xf32>
}
