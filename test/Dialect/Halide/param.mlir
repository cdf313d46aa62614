// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @param
halide.pipeline @param {
  // The result is named after the size.
  // CHECK: %batch_length = halide.param "batch * length"
  %0 = halide.param "batch * length"
  // CHECK: [4, %batch_length]
  halide.input @x [4, %0] : f32
}
