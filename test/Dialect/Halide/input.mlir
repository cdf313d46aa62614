// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @input
halide.pipeline @input {
  %rows = halide.param "rows"
  // CHECK: halide.input @dense [64, %[[ROWS:.*]], 2] : bf16
  halide.input @dense [64, %rows, 2] : bf16
  // CHECK: halide.input @values [64, %[[ROWS]]] : f32 from argument(2, part 1)
  halide.input @values [64, %rows] : f32 from argument(2, part 1)
  // CHECK: halide.input @scalar [] : i32 from argument(3)
  halide.input @scalar [] : i32 from argument(3)
}
