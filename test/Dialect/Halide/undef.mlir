// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @undef
halide.pipeline @undef {
  halide.func @y(%c) : f32 {
    // CHECK: halide.undef : f32
    %0 = halide.undef : f32
    halide.yield %0 : f32
  }
}
