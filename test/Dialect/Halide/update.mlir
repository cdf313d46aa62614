// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @update
halide.pipeline @update {
  %extent = halide.param "length"
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // CHECK: halide.update @y(%c, %m) reduce(%k < 64, %s < %[[EXTENT:.*]]) {
  halide.update @y(%c, %m) reduce(%k < 64, %s < %extent) {
    // CHECK: %[[KEEP:.*]] = arith.cmpi
    %keep = arith.cmpi slt, %k, %m : i32
    // CHECK: halide.where %[[KEEP]]
    halide.where %keep
    %0 = halide.access @y(%c, %m) : f32
    // CHECK: halide.yield %{{.*}} at(%k, %s) : f32
    halide.yield %0 at(%k, %s) : f32
  }
  // CHECK: halide.update @y(%c, %m) {
  halide.update @y(%c, %m) {
    %0 = halide.undef : f32
    // CHECK: halide.yield %{{.*}} : f32
    halide.yield %0 : f32
  }
}
