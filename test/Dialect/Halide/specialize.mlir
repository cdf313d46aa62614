// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: halide.schedule @linear
halide.schedule @linear {
  // CHECK-NEXT: halide.specialize @y "length" eq 1 {
  // CHECK-NEXT: halide.serial @y "m"
  halide.specialize @y "length" eq 1 {
    halide.serial @y "m"
  }
  // Both conditions hold for the inner one.
  // CHECK: halide.specialize @y update(0) "batch * length" ge 12 {
  // CHECK-NEXT: halide.specialize @y update(0) "batch * length" multiple_of 12 {
  // CHECK-NEXT: halide.unroll @y update(0) "m" by 12
  halide.specialize @y update(0) "batch * length" ge 12 {
    halide.specialize @y update(0) "batch * length" multiple_of 12 {
      halide.unroll @y update(0) "m" by 12
    }
  }
  // CHECK: "length" ne 0
  halide.specialize @y "length" ne 0 {
  }
  // CHECK: "length" lt 0
  halide.specialize @y "length" lt 0 {
  }
  // CHECK: "length" le 0
  halide.specialize @y "length" le 0 {
  }
  // CHECK: "length" gt 0
  halide.specialize @y "length" gt 0 {
  }
}
