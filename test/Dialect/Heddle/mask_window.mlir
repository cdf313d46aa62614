// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @mask_window
func.func @mask_window(%starts: tensor<?xi64>) {
  // CHECK: heddle.mask.window left(255) right(0) align(bottom_right){{$}}
  %0 = heddle.mask.window left(255) right(0) align(bottom_right)
  // CHECK: heddle.mask.window left(7) offset(%{{.*}} : tensor<?xi64>) plus(-2){{$}}
  %1 = heddle.mask.window left(7) offset(%starts : tensor<?xi64>) plus(-2)
  // CHECK: heddle.mask.window right(3) align(top_left){{$}}
  %2 = heddle.mask.window right(3) align(top_left)
  // CHECK: heddle.mask.window left(3) right(0) align(bottom_right) plus("-past"){{$}}
  %3 = heddle.mask.window left(3) right(0) align(bottom_right) plus("-past")
  return
}
