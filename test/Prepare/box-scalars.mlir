// RUN: heddle-opt %s --heddle-box-scalars | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[FACTOR:.*]]: tensor<f32> {heddle.name = "factor"}, %[[N:.*]]: tensor<i64>
// CHECK-SAME: -> (tensor<4xf32>, tensor<f32>, tensor<i64>)
// CHECK-DAG: %[[F:.*]] = tensor.extract %[[FACTOR]][] : tensor<f32>
// CHECK-DAG: %[[WIDE:.*]] = tensor.extract %[[N]][] : tensor<i64>
// CHECK-DAG: %[[INDEX:.*]] = arith.index_cast %[[WIDE]] : i64 to index
// CHECK: tensor.splat %[[F]]
// CHECK-DAG: %[[SAME:.*]] = heddle.from_number %[[F]] : f32 -> tensor<f32>
// CHECK-DAG: %[[COUNT:.*]] = heddle.from_number %[[INDEX]] : index -> tensor<i64>
// CHECK: return %{{.*}}, %[[SAME]], %[[COUNT]]
func.func @f(%x: tensor<4xf32>, %factor: f32 {heddle.name = "factor"}, %n: index)
    -> (tensor<4xf32>, f32, index) {
  %all = tensor.splat %factor : tensor<4xf32>
  %y = arith.mulf %x, %all : tensor<4xf32>
  return %y, %factor, %n : tensor<4xf32>, f32, index
}

// CHECK: func.func private @called(%{{.*}}: f32) -> f32
func.func private @called(%x: f32) -> f32 {
  return %x : f32
}
