// RUN: heddle-opt %s --heddle-to-schedule=target-cpu=icelake-server | FileCheck %s

// Weights below 2^-80 are 0 where values are multiplied by them, as their products would be subnormal and
// slow; the weights that are a result are so below 2^-125.

// CHECK-LABEL: halide.func @weights
// CHECK: arith.constant {{-8.0+e\+01}} : f32
// CHECK-LABEL: halide.func @attention_weights
// CHECK: arith.constant {{-1.250*e\+02}} : f32
func.func @both(%q: tensor<1x40x32xf32>) -> (tensor<1x40x32xf32>, tensor<1x2x40x40xf32>) {
  %o, %w = heddle.attention %q, %q, %q heads(2, kv = 2) results(output, weights)
      : tensor<1x40x32xf32>, tensor<1x40x32xf32>, tensor<1x40x32xf32>
  return %o, %w : tensor<1x40x32xf32>, tensor<1x2x40x40xf32>
}
