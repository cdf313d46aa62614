// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @promise_clamped
halide.pipeline @promise_clamped {
  halide.func @y(%c, %m) : i32 {
    // CHECK: halide.promise_clamped %c in [%m, %m]
    %0 = halide.promise_clamped %c in [%m, %m]
    halide.yield %0 : i32
  }
}
