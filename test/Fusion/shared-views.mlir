// Masks are views, and each of these reads the one before twice: a walk over all paths
// would take 2^64 steps.

// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK: heddle.launch @chain_attention(
// CHECK: heddle.kernel @chain_attention(
// CHECK-COUNT-64: heddle.mask.and
// CHECK-NOT: heddle.mask.and
// CHECK: heddle.attention
func.func @chain(%x: tensor<2x8x4xf32>, %n: tensor<2xi32>) -> tensor<2x8x4xf32> {
  %m0 = heddle.mask.lengths %n : tensor<2xi32>
  %m1 = heddle.mask.and %m0, %m0
  %m2 = heddle.mask.and %m1, %m1
  %m3 = heddle.mask.and %m2, %m2
  %m4 = heddle.mask.and %m3, %m3
  %m5 = heddle.mask.and %m4, %m4
  %m6 = heddle.mask.and %m5, %m5
  %m7 = heddle.mask.and %m6, %m6
  %m8 = heddle.mask.and %m7, %m7
  %m9 = heddle.mask.and %m8, %m8
  %m10 = heddle.mask.and %m9, %m9
  %m11 = heddle.mask.and %m10, %m10
  %m12 = heddle.mask.and %m11, %m11
  %m13 = heddle.mask.and %m12, %m12
  %m14 = heddle.mask.and %m13, %m13
  %m15 = heddle.mask.and %m14, %m14
  %m16 = heddle.mask.and %m15, %m15
  %m17 = heddle.mask.and %m16, %m16
  %m18 = heddle.mask.and %m17, %m17
  %m19 = heddle.mask.and %m18, %m18
  %m20 = heddle.mask.and %m19, %m19
  %m21 = heddle.mask.and %m20, %m20
  %m22 = heddle.mask.and %m21, %m21
  %m23 = heddle.mask.and %m22, %m22
  %m24 = heddle.mask.and %m23, %m23
  %m25 = heddle.mask.and %m24, %m24
  %m26 = heddle.mask.and %m25, %m25
  %m27 = heddle.mask.and %m26, %m26
  %m28 = heddle.mask.and %m27, %m27
  %m29 = heddle.mask.and %m28, %m28
  %m30 = heddle.mask.and %m29, %m29
  %m31 = heddle.mask.and %m30, %m30
  %m32 = heddle.mask.and %m31, %m31
  %m33 = heddle.mask.and %m32, %m32
  %m34 = heddle.mask.and %m33, %m33
  %m35 = heddle.mask.and %m34, %m34
  %m36 = heddle.mask.and %m35, %m35
  %m37 = heddle.mask.and %m36, %m36
  %m38 = heddle.mask.and %m37, %m37
  %m39 = heddle.mask.and %m38, %m38
  %m40 = heddle.mask.and %m39, %m39
  %m41 = heddle.mask.and %m40, %m40
  %m42 = heddle.mask.and %m41, %m41
  %m43 = heddle.mask.and %m42, %m42
  %m44 = heddle.mask.and %m43, %m43
  %m45 = heddle.mask.and %m44, %m44
  %m46 = heddle.mask.and %m45, %m45
  %m47 = heddle.mask.and %m46, %m46
  %m48 = heddle.mask.and %m47, %m47
  %m49 = heddle.mask.and %m48, %m48
  %m50 = heddle.mask.and %m49, %m49
  %m51 = heddle.mask.and %m50, %m50
  %m52 = heddle.mask.and %m51, %m51
  %m53 = heddle.mask.and %m52, %m52
  %m54 = heddle.mask.and %m53, %m53
  %m55 = heddle.mask.and %m54, %m54
  %m56 = heddle.mask.and %m55, %m55
  %m57 = heddle.mask.and %m56, %m56
  %m58 = heddle.mask.and %m57, %m57
  %m59 = heddle.mask.and %m58, %m58
  %m60 = heddle.mask.and %m59, %m59
  %m61 = heddle.mask.and %m60, %m60
  %m62 = heddle.mask.and %m61, %m61
  %m63 = heddle.mask.and %m62, %m62
  %m64 = heddle.mask.and %m63, %m63
  %y = heddle.attention %x, %x, %x mask(%m64) heads(1, kv = 1) scale(0.5)
     : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}
