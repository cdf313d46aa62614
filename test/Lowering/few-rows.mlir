// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// Dimension 1 of three counts tokens, whatever its name: rows that are no product of it are
// few, and scheduled so.
// CHECK-LABEL: halide.pipeline @tokens
// CHECK: halide.param "length * n"{{$}}
heddle.kernel @tokens(%x: tensor<?x?x64xf32> {heddle.sizes = ["length", "n"]})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["length", "n"]}) {
  %y = arith.addf %x, %x : tensor<?x?x64xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}

// CHECK-LABEL: halide.pipeline @one_sequence
// CHECK: halide.param "n"{{$}}
heddle.kernel @one_sequence(%x: tensor<1x?x64xf32> {heddle.sizes = ["n"]})
    -> (tensor<1x?x64xf32> {heddle.sizes = ["n"]}) {
  %y = arith.addf %x, %x : tensor<1x?x64xf32>
  heddle.yield %y : tensor<1x?x64xf32>
}

// CHECK-LABEL: halide.pipeline @one_token
// CHECK: halide.param "length" {heddle.few_rows}
heddle.kernel @one_token(%x: tensor<?x1x64xf32> {heddle.sizes = ["length"]})
    -> (tensor<?x1x64xf32> {heddle.sizes = ["length"]}) {
  %y = arith.addf %x, %x : tensor<?x1x64xf32>
  heddle.yield %y : tensor<?x1x64xf32>
}

// What is left of a sequence is one row; its tokens are many.
// CHECK-LABEL: halide.pipeline @last
// CHECK-DAG: halide.param "b * n"{{$}}
// CHECK-DAG: halide.param "n"{{$}}
// CHECK-DAG: halide.param "b" {heddle.few_rows}
heddle.kernel @last(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "n"]},
    %lengths: tensor<?xi32> {heddle.external, heddle.sizes = ["b"]})
    -> (tensor<?x64xf32> {heddle.sizes = ["b"]}) {
  %last = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %y = arith.addf %last, %last : tensor<?x64xf32>
  heddle.yield %y : tensor<?x64xf32>
}

// Numbers that fill more than one register tile are many rows.
// CHECK-LABEL: halide.pipeline @fixed_length
// CHECK: halide.param "512 * batch"{{$}}
heddle.kernel @fixed_length(%x: tensor<?x512x64xf32> {heddle.sizes = ["batch"]})
    -> (tensor<?x512x64xf32> {heddle.sizes = ["batch"]}) {
  %y = arith.addf %x, %x : tensor<?x512x64xf32>
  heddle.yield %y : tensor<?x512x64xf32>
}

// CHECK-LABEL: halide.pipeline @fixed
// CHECK: halide.param "512"{{$}}
heddle.kernel @fixed(%x: tensor<1x512x64xf32>) -> tensor<1x512x64xf32> {
  %y = arith.addf %x, %x : tensor<1x512x64xf32>
  heddle.yield %y : tensor<1x512x64xf32>
}

// CHECK-LABEL: halide.pipeline @fixed_few
// CHECK: halide.param "6" {heddle.few_rows}
heddle.kernel @fixed_few(%x: tensor<2x3x64xf32>) -> tensor<2x3x64xf32> {
  %y = arith.addf %x, %x : tensor<2x3x64xf32>
  heddle.yield %y : tensor<2x3x64xf32>
}
