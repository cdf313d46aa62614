// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @mod
halide.pipeline @mod {
  halide.func @y(%c, %m) : i32 {
    // CHECK: halide.mod %c, %m
    %0 = halide.mod %c, %m
    halide.yield %0 : i32
  }
}
