// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: heddle.weight @from_checkpoint
// CHECK-SAME: from "model.norm.weight" : tensor<64xbf16>
heddle.weight @from_checkpoint from "model.norm.weight" : tensor<64xbf16>

// CHECK-LABEL: heddle.weight @in_text
// CHECK-SAME: = dense<1.000000e+00> : tensor<2x3xf32>
heddle.weight @in_text = dense<1.0> : tensor<2x3xf32>

// CHECK-LABEL: heddle.weight @with_attributes
// CHECK-SAME: from "w" : tensor<4xf32> {note = "tied"}
heddle.weight @with_attributes from "w" : tensor<4xf32> {note = "tied"}

// CHECK-LABEL: heddle.weight @in_resource
// CHECK-SAME: = dense_resource<two> : tensor<2xf32>
heddle.weight @in_resource = dense_resource<two> : tensor<2xf32>

// CHECK-LABEL: heddle.weight @derived
// CHECK-SAME: : tensor<2xf32> attributes {note = "1 + w"} {
// CHECK-NEXT: %[[W:.*]] = heddle.weight_ref @in_resource : tensor<2xf32>
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[W]], %[[ONE]] : tensor<2xf32>
// CHECK-NEXT: heddle.yield %[[SUM]] : tensor<2xf32>
// CHECK-NEXT: }
heddle.weight @derived : tensor<2xf32> attributes {note = "1 + w"} {
  %w = heddle.weight_ref @in_resource : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %sum = arith.addf %w, %one : tensor<2xf32>
  heddle.yield %sum : tensor<2xf32>
}

// CHECK: two: "0x040000000000803F00000040"
{-# dialect_resources: { builtin: { two: "0x040000000000803F00000040" } } #-}
