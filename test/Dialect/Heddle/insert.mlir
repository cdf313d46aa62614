// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @insert
func.func @insert(%part: tensor<2x1x4xbf16>, %x: tensor<2x?x4xbf16>) -> tensor<2x?x4xbf16> {
  %c3 = arith.constant 3 : index
  // CHECK: heddle.insert %{{.*}} into %{{.*}} at %{{.*}} axis(1) : tensor<2x1x4xbf16> into tensor<2x?x4xbf16>
  %y = heddle.insert %part into %x at %c3 axis(1) : tensor<2x1x4xbf16> into tensor<2x?x4xbf16>
  return %y : tensor<2x?x4xbf16>
}
