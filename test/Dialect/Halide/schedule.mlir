// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.schedule @linear {
// CHECK-NEXT: halide.parallel @y "m"
halide.schedule @linear {
  halide.parallel @y "m"
}

// CHECK-LABEL: halide.pipeline @empty
halide.pipeline @empty {
  // CHECK: halide.schedule {
  halide.schedule {
  }
}
