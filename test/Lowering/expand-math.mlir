// RUN: heddle-opt %s --heddle-expand-math -o %t && FileCheck %s < %t
// Nothing is left that would call a function of the C library.
// RUN: grep -oE "(math\.[a-z0-9]+|arith\.remf)" %t | sort -u | not grep -vE "^math\.(absf|absi|ceil|ctlz|ctpop|cttz|floor|roundeven|sqrt|trunc)$"

// CHECK-LABEL: func.func @unary
func.func @unary(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  %1 = math.exp2 %0 : f32
  %2 = math.expm1 %1 : f32
  %3 = math.sinh %2 : f32
  %4 = math.cosh %3 : f32
  %5 = math.tanh %4 : f32
  %6 = math.log %5 : f32
  %7 = math.log2 %6 : f32
  %8 = math.log10 %7 : f32
  %9 = math.log1p %8 : f32
  %10 = math.asinh %9 : f32
  %11 = math.acosh %10 : f32
  %12 = math.atanh %11 : f32
  %13 = math.erf %12 : f32
  %14 = math.erfc %13 : f32
  %15 = math.sin %14 : f32
  %16 = math.cos %15 : f32
  %17 = math.tan %16 : f32
  %18 = math.asin %17 : f32
  %19 = math.acos %18 : f32
  %20 = math.atan %19 : f32
  %21 = math.cbrt %20 : f32
  %22 = math.rsqrt %21 : f32
  %23 = math.round %22 : f32
  %sin = math.sin %23 : f32
  %cos = math.cos %23 : f32
  %24 = math.powf %sin, %cos : f32
  %25 = math.atan2 %24, %sin : f32
  %26 = math.copysign %25, %cos : f32
  %27 = math.fma %26, %25, %24 : f32
  %28 = math.clampf %27 to [%sin, %cos] : f32
  %29 = arith.remf %28, %x : f32
  return %29 : f32
}

// CHECK-LABEL: func.func @classes
func.func @classes(%x: f32) -> (i1, i1, i1, i1) {
  %0 = math.isnan %x : f32
  %1 = math.isinf %x : f32
  %2 = math.isfinite %x : f32
  %3 = math.isnormal %x : f32
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: f32, %n: i32, %k: i64) -> (f32, i32, i32, f32) {
  %0 = math.fpowi %x, %n : f32, i32
  %1 = math.ipowi %n, %n : i32
  // CHECK: math.absi %{{.*}} {halide.strict}
  %2 = math.absi %n : i32
  %3 = math.fpowi %x, %k : f32, i64
  return %0, %1, %2, %3 : f32, i32, i32, f32
}

// What has an instruction stays, and is not simplified.
// CHECK-LABEL: func.func @native
func.func @native(%x: f32) -> f32 {
  // CHECK: math.sqrt %{{.*}} {halide.strict}
  // CHECK: math.roundeven %{{.*}} {halide.strict}
  %0 = math.sqrt %x : f32
  %1 = math.roundeven %0 : f32
  return %1 : f32
}

// CHECK-LABEL: func.func @square
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[X]] {halide.strict}
// CHECK-NEXT: return %[[Y]]
func.func @square(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = math.powf %x, %two : f32
  return %0 : f32
}

// bf16 is computed with in f32.
// CHECK-LABEL: func.func @half
// CHECK-SAME: %[[X:.*]]: bf16
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] {halide.strict} : bf16 to f32
// CHECK: arith.addf {{.*}} : f32
// CHECK: %[[Y:.*]] = arith.truncf %{{.*}} {halide.strict} : f32 to bf16
// CHECK: return %[[Y]]
func.func @half(%x: bf16) -> bf16 {
  %0 = math.erf %x : bf16
  return %0 : bf16
}
