// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose | FileCheck %s

// CHECK-DAG: #[[AT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[GROUP:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @groups
// CHECK: heddle.generic over [172, 64] ins(%{{.*}}, %{{.*}}, %{{.*}}) maps [#[[AT]], #[[GROUP]], #[[GROUP]]]
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.subi
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.mulf
func.func @groups(%q: tensor<172x64xui8>, %s: tensor<172x2xf16>, %z: tensor<172x2xui8>) -> tensor<172x64xf32> {
  %0 = heddle.dequantize %q, %s zeros(%z : tensor<172x2xui8>) axis(1)
     : tensor<172x64xui8>, tensor<172x2xf16> -> tensor<172x64xf32>
  return %0 : tensor<172x64xf32>
}

// CHECK-LABEL: func.func @channels
// CHECK: maps [#[[AT]], #[[CHANNEL]]]
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// CHECK: arith.mulf
func.func @channels(%q: tensor<172x64xi8>, %s: tensor<172x1xf32>) -> tensor<172x64xf32> {
  %0 = heddle.dequantize %q, %s axis(1) : tensor<172x64xi8>, tensor<172x1xf32> -> tensor<172x64xf32>
  return %0 : tensor<172x64xf32>
}

// CHECK-LABEL: func.func @minimums
// CHECK: maps [#[[AT]], #[[GROUP]], #[[GROUP]]]
// CHECK: arith.uitofp %{{.*}} : i8 to f32
// CHECK: arith.mulf
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.subf
func.func @minimums(%q: tensor<172x64xui8>, %s: tensor<172x2xf32>, %m: tensor<172x2xbf16>) -> tensor<172x64xf32> {
  %0 = heddle.dequantize %q, %s minimums(%m : tensor<172x2xbf16>) axis(1)
     : tensor<172x64xui8>, tensor<172x2xf32> -> tensor<172x64xf32>
  return %0 : tensor<172x64xf32>
}

// Scales are rounded to their type before codes are made with them. Magnitudes are compared as
// integers, and codes are in range when they become such.
// CHECK-LABEL: func.func @quantize
// CHECK: heddle.generic over [172, 2] reduce [32]
// CHECK: math.absf
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.maxsi
// CHECK: heddle.generic over [172, 2]
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.divf
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: heddle.generic over [172, 64]
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK-NOT: arith.maximumf
// CHECK: arith.fptosi %{{.*}} : f32 to i8
// CHECK-NEXT: heddle.yield
func.func @quantize(%x: tensor<172x64xf32>) -> (tensor<172x64xi8>, tensor<172x2xf16>) {
  %q, %s = heddle.quantize %x axis(1) group(32) : tensor<172x64xf32> -> tensor<172x64xi8>, tensor<172x2xf16>
  return %q, %s : tensor<172x64xi8>, tensor<172x2xf16>
}
