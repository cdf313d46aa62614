// The module of the pipelines takes no name that a function could have, and parses again.

// RUN: heddlec %s --emit=halide | heddle-opt | FileCheck %s

// CHECK: module @heddle.pipelines
// CHECK: halide.pipeline @pipelines_addf
func.func @pipelines(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
