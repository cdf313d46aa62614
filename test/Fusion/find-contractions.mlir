// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-find-contractions | FileCheck %s

// CHECK-LABEL: func.func @matrix
// CHECK: attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
func.func @matrix(%x: tensor<?x48xf32> {heddle.sizes = ["n"]}, %w: tensor<64x48xbf16>) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<?x48xf32>, tensor<64x48xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: bf16, %sum: f32):
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    heddle.yield %2 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The input that has the last dimension has the columns, whichever it is; casts may be of any
// length and kind.
// CHECK-LABEL: func.func @casts
// CHECK: attributes {heddle.contraction = #heddle.contraction<rows(1) columns(0)>} {
func.func @casts(%w: tensor<64x48xi8>, %x: tensor<?x48xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%w, %x : tensor<64x48xi8>, tensor<?x48xf32>)
      maps [affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (r, k)>] {
  ^bb0(%a: i8, %b: f32, %sum: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.truncf %b : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %0, %2 : f32
    %4 = arith.addf %3, %sum : f32
    heddle.yield %4 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Scales belong to the elements that have all dimensions of their factor.
// CHECK-LABEL: func.func @scales
// CHECK: attributes {heddle.contraction = #heddle.contraction<rows(1) columns(2, 0)>} {
func.func @scales(%s: tensor<64x3xf16>, %x: tensor<?x48xf32> {heddle.sizes = ["n"]}, %w: tensor<64x48xi8>) -> tensor<?x64xf32> {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%s, %x, %w : tensor<64x3xf16>, tensor<?x48xf32>, tensor<64x48xi8>)
      maps [affine_map<(r, c, k) -> (c, k floordiv 16)>, affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%scale: f16, %a: f32, %b: i8, %sum: f32):
    %0 = arith.sitofp %b : i8 to f32
    %1 = arith.extf %scale : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    heddle.yield %4 : f32
  } : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Of dimensions that both have there is a product for each index.
// CHECK-LABEL: func.func @batches
// CHECK: heddle.contraction<rows(0) columns(1)>
func.func @batches(%x: tensor<5x?x48xf32> {heddle.sizes = ["n"]}, %w: tensor<5x64x48xf32>) -> tensor<5x?x64xf32> {
  %y = heddle.generic over [5, "n", 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<5x?x48xf32>, tensor<5x64x48xf32>)
      maps [affine_map<(b, r, c, k) -> (b, r, k)>, affine_map<(b, r, c, k) -> (b, c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<5x?x64xf32>
  return %y : tensor<5x?x64xf32>
}

// CHECK-LABEL: func.func @squares
// CHECK-NOT: heddle.contraction
func.func @squares(%x: tensor<?x48xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %y = heddle.generic over ["n"] reduce [48] initial [0.0 : f32]
      ins(%x : tensor<?x48xf32>) maps [affine_map<(r, k) -> (r, k)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// A value that the next one reads twice, sixty times: a walk over all paths would take 2^60 steps.
// CHECK-LABEL: func.func @powers
// CHECK: heddle.contraction<rows(0) columns(1)>
func.func @powers(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) -> tensor<7x64xf32> {
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%0: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.mulf %3, %3 : f32
    %5 = arith.mulf %4, %4 : f32
    %6 = arith.mulf %5, %5 : f32
    %7 = arith.mulf %6, %6 : f32
    %8 = arith.mulf %7, %7 : f32
    %9 = arith.mulf %8, %8 : f32
    %10 = arith.mulf %9, %9 : f32
    %11 = arith.mulf %10, %10 : f32
    %12 = arith.mulf %11, %11 : f32
    %13 = arith.mulf %12, %12 : f32
    %14 = arith.mulf %13, %13 : f32
    %15 = arith.mulf %14, %14 : f32
    %16 = arith.mulf %15, %15 : f32
    %17 = arith.mulf %16, %16 : f32
    %18 = arith.mulf %17, %17 : f32
    %19 = arith.mulf %18, %18 : f32
    %20 = arith.mulf %19, %19 : f32
    %21 = arith.mulf %20, %20 : f32
    %22 = arith.mulf %21, %21 : f32
    %23 = arith.mulf %22, %22 : f32
    %24 = arith.mulf %23, %23 : f32
    %25 = arith.mulf %24, %24 : f32
    %26 = arith.mulf %25, %25 : f32
    %27 = arith.mulf %26, %26 : f32
    %28 = arith.mulf %27, %27 : f32
    %29 = arith.mulf %28, %28 : f32
    %30 = arith.mulf %29, %29 : f32
    %31 = arith.mulf %30, %30 : f32
    %32 = arith.mulf %31, %31 : f32
    %33 = arith.mulf %32, %32 : f32
    %34 = arith.mulf %33, %33 : f32
    %35 = arith.mulf %34, %34 : f32
    %36 = arith.mulf %35, %35 : f32
    %37 = arith.mulf %36, %36 : f32
    %38 = arith.mulf %37, %37 : f32
    %39 = arith.mulf %38, %38 : f32
    %40 = arith.mulf %39, %39 : f32
    %41 = arith.mulf %40, %40 : f32
    %42 = arith.mulf %41, %41 : f32
    %43 = arith.mulf %42, %42 : f32
    %44 = arith.mulf %43, %43 : f32
    %45 = arith.mulf %44, %44 : f32
    %46 = arith.mulf %45, %45 : f32
    %47 = arith.mulf %46, %46 : f32
    %48 = arith.mulf %47, %47 : f32
    %49 = arith.mulf %48, %48 : f32
    %50 = arith.mulf %49, %49 : f32
    %51 = arith.mulf %50, %50 : f32
    %52 = arith.mulf %51, %51 : f32
    %53 = arith.mulf %52, %52 : f32
    %54 = arith.mulf %53, %53 : f32
    %55 = arith.mulf %54, %54 : f32
    %56 = arith.mulf %55, %55 : f32
    %57 = arith.mulf %56, %56 : f32
    %58 = arith.mulf %57, %57 : f32
    %59 = arith.mulf %58, %58 : f32
    %60 = arith.mulf %59, %59 : f32
    %product = arith.mulf %60, %b : f32
    %total = arith.addf %sum, %product : f32
    heddle.yield %total : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// Integers times scales on both sides: as many products as have both scales in common, and as i32
// can hold the sum of. Of differences with zeros there is no such sum.
// CHECK-LABEL: func.func @integers
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 8>
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 384>
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 256>
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3, 4)>
func.func @integers(%q: tensor<?x768xi16> {heddle.sizes = ["n"]}, %s: tensor<?x96xf32> {heddle.sizes = ["n"]},
    %c: tensor<64x768xi8>, %t: tensor<64x1xf16>, %u: tensor<64x768xui8>, %v: tensor<64x3xi8>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %x = heddle.generic over ["n", 64] reduce [768] initial [0.0 : f32]
      ins(%q, %s, %c, %t : tensor<?x768xi16>, tensor<?x96xf32>, tensor<64x768xi8>, tensor<64x1xf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, k floordiv 8)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f16, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %d : i8 to f32
    %3 = arith.extf %e : f16 to f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %1, %4 : f32
    %6 = arith.addf %sum, %5 : f32
    heddle.yield %6 : f32
  } : tensor<?x64xf32>
  %y = heddle.generic over ["n", 64] reduce [768] initial [0.0 : f32]
      ins(%q, %s, %c, %t : tensor<?x768xi16>, tensor<?x96xf32>, tensor<64x768xi8>, tensor<64x1xf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f16, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %d : i8 to f32
    %3 = arith.extf %e : f16 to f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %1, %4 : f32
    %6 = arith.addf %sum, %5 : f32
    heddle.yield %6 : f32
  } : tensor<?x64xf32>
  %z = heddle.generic over ["n", 64] reduce [768] initial [0.0 : f32]
      ins(%q, %s, %u, %t : tensor<?x768xi16>, tensor<?x96xf32>, tensor<64x768xui8>, tensor<64x1xf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f16, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.uitofp %d : i8 to f32
    %3 = arith.extf %e : f16 to f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %1, %4 : f32
    %6 = arith.addf %sum, %5 : f32
    heddle.yield %6 : f32
  } : tensor<?x64xf32>
  %o = heddle.generic over ["n", 64] reduce [768] initial [0.0 : f32]
      ins(%q, %s, %c, %t, %v : tensor<?x768xi16>, tensor<?x96xf32>, tensor<64x768xi8>, tensor<64x1xf16>, tensor<64x3xi8>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f16, %f: i8, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.extsi %d : i8 to i32
    %3 = arith.extsi %f : i8 to i32
    %4 = arith.subi %2, %3 : i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.extf %e : f16 to f32
    %7 = arith.mulf %5, %6 : f32
    %8 = arith.mulf %1, %7 : f32
    %9 = arith.addf %sum, %8 : f32
    heddle.yield %9 : f32
  } : tensor<?x64xf32>
  return %x, %y, %z, %o : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}

// i16 holds no ui16, and half bytes are numbers of their type, whatever a body takes them for.
// CHECK-LABEL: func.func @other_integers
// CHECK-COUNT-2: #heddle.contraction<rows(0, 1) columns(2, 3)>
heddle.weight @halves from "halves" : tensor<64x32xui4>
func.func @other_integers(%u: tensor<4x32xui16>, %q: tensor<4x32xi16>, %s: tensor<4x1xf32>, %c: tensor<64x32xi8>,
    %t: tensor<64x1xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %h = heddle.weight_ref @halves : tensor<64x32xui4>
  %x = heddle.generic over [4, 64] reduce [32] initial [0.0 : f32]
      ins(%u, %s, %c, %t : tensor<4x32xui16>, tensor<4x1xf32>, tensor<64x32xi8>, tensor<64x1xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f32, %sum: f32):
    %0 = arith.uitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %d : i8 to f32
    %3 = arith.mulf %2, %e : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    heddle.yield %5 : f32
  } : tensor<4x64xf32>
  %y = heddle.generic over [4, 64] reduce [32] initial [0.0 : f32]
      ins(%q, %s, %h, %t : tensor<4x32xi16>, tensor<4x1xf32>, tensor<64x32xui4>, tensor<64x1xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, 0)>] {
  ^bb0(%a: i16, %b: f32, %d: i8, %e: f32, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %d : i8 to f32
    %3 = arith.mulf %2, %e : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    heddle.yield %5 : f32
  } : tensor<4x64xf32>
  return %x, %y : tensor<4x64xf32>, tensor<4x64xf32>
}

// Products of two numbers of bf16 may be added up in pairs, if the terms are even.
// CHECK-LABEL: func.func @pairs
// CHECK: heddle.contraction<rows(0) columns(1) bf16 pairs>
// CHECK: heddle.contraction<rows(0) columns(1)>
func.func @pairs(%x: tensor<?x48xbf16> {heddle.sizes = ["n"]}, %w: tensor<64x48xbf16>,
    %odd: tensor<?x47xbf16> {heddle.sizes = ["n"]}, %v: tensor<64x47xbf16>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
      ins(%x, %w : tensor<?x48xbf16>, tensor<64x48xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x64xf32>
  %z = heddle.generic over ["n", 64] reduce [47] initial [0.0 : f32]
      ins(%odd, %v : tensor<?x47xbf16>, tensor<64x47xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}
