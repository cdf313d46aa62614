// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// CHECK-LABEL: func.func @collapse
// CHECK: heddle.reshape %{{.*}} to ["b * l", 64]
func.func @collapse(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x64xf32> {
  %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @expand
// CHECK: heddle.reshape %{{.*}} to ["b", 4, 16]
func.func @expand(%x: tensor<?x64xf32> {heddle.sizes = ["b"]}) -> tensor<?x4x16xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?x64xf32>
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%b, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK: %[[S:.*]] = heddle.slice %{{.*}} offsets ["b - 1", 2] sizes [1, 4] steps [1, 3]
// CHECK: heddle.reshape %[[S]] to [4]
func.func @slice(%x: tensor<?x64xf32> {heddle.sizes = ["b"]}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x64xf32>
  %last = arith.subi %b, %c1 : index
  %y = tensor.extract_slice %x[%last, 2] [1, 4] [1, 3] : tensor<?x64xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @concat
// CHECK: heddle.concat %{{.*}}, %{{.*}} axis(0)
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %z = tensor.concat dim(0) %x, %y : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return %z : tensor<6x3xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK: heddle.pad %{{.*}} low [1, 0] high [0, 2] value(1.500000e+00 : f32)
func.func @pad(%x: tensor<2x3xf32>) -> tensor<3x5xf32> {
  %v = arith.constant 1.5 : f32
  %z = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x3xf32> to tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}
