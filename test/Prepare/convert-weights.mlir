// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=keep=^head | FileCheck %s
// Weights of integers and of scales, which become of it.
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=keep=^head --heddle-derive-weights \
// RUN:   | FileCheck %s --check-prefix=DERIVED
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights="type=int4 group=32" | FileCheck %s --check-prefix=HALVES
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights="group=32" | FileCheck %s --check-prefix=GROUPS
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=type=bf16 | FileCheck %s --check-prefix=FLOATS
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=type=int5 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=keep=. 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=keep=[ 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-convert-weights=keep=tail 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// HALVES: heddle.quantize %{{.*}} axis(1) group(32) least_squares : tensor<32x64xbf16> -> tensor<32x64xi4>, tensor<32x2xbf16>
// GROUPS: heddle.quantize %{{.*}} axis(1) group(32) : tensor<32x64xbf16> -> tensor<32x64xi8>, tensor<32x2xbf16>
// What has the type stays, and so do operands of heddle.matmul.
// FLOATS-LABEL: func.func @layers
// FLOATS: %[[W:.*]] = heddle.weight_ref @w
// FLOATS: %[[H:.*]] = heddle.weight_ref @head
// FLOATS: %[[C:.*]] = heddle.cast %[[H]] : tensor<16x64xf32> -> tensor<16x64xbf16>
// FLOATS: heddle.linear %{{.*}}, %[[W]]
// FLOATS: heddle.linear %{{.*}}, %[[C]]
// FLOATS-LABEL: func.func @products
// FLOATS: heddle.matmul %{{.*}}, %{{.*}} : tensor<?x64xf32, {{.*}}>, tensor<64x32xf32>
// BITS: expected int8, int4, bf16, f16 or f32, and groups of at least 0, found type=int5 group=0
// NONE: expected a layer that reads a matrix of weights, found none to convert
// UNKNOWN: keep: expected 'tail' to match a weight that a layer reads as a matrix, which are down, up, router, w, t, head, experts
// REGEX: keep: expected a regular expression, found '[': brackets ([ ]) not balanced

// DERIVED: heddle.weight @w.quantize_0 : tensor<32x1xf32> {
// DERIVED: heddle.quantize
// DERIVED: heddle.weight @w.quantize : tensor<32x64xi8> {
// DERIVED: heddle.quantize
// DERIVED-LABEL: func.func @layers
// DERIVED: heddle.weight_ref @w.quantize : tensor<32x64xi8>
// DERIVED: heddle.weight_ref @w.quantize_0 : tensor<32x1xf32>
// DERIVED: heddle.dequantize
// DERIVED-NOT: heddle.quantize
// DERIVED: return

heddle.weight @w from "w" : tensor<32x64xbf16>
heddle.weight @t from "t" : tensor<32x64xf32>
heddle.weight @head from "head" : tensor<16x64xf32>
heddle.weight @b from "b" : tensor<32xf32>

// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %m: tensor<8x64xf32>)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x64xf32>, tensor<?x16xf32>, tensor<?x8xf32>) {
  // CHECK: %[[W:.*]] = heddle.weight_ref @w
  // CHECK: %[[Q:.*]], %[[S:.*]] = heddle.quantize %[[W]] axis(1) group(64) : tensor<32x64xbf16> -> tensor<32x64xi8>, tensor<32x1xf32>
  // CHECK: %[[D:.*]] = heddle.dequantize %[[Q]], %[[S]] axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %w = heddle.weight_ref @w : tensor<32x64xbf16>
  %b = heddle.weight_ref @b : tensor<32xf32>
  %t = heddle.weight_ref @t : tensor<32x64xf32>
  // CHECK: %[[T:.*]] = heddle.transpose
  // CHECK: %[[M:.*]] = arith.mulf %[[T]]
  // CHECK: heddle.quantize %[[M]] axis(1) group(32)
  %transposed = heddle.transpose %t permutation [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %half = arith.constant dense<0.5> : tensor<64x32xf32>
  %turned = arith.mulf %transposed, %half : tensor<64x32xf32>
  %head = heddle.weight_ref @head : tensor<16x64xf32>
  // Two layers read one matrix: it is quantised once.
  // CHECK: %[[Y:.*]] = heddle.linear %{{.*}}, %[[D]] bias(
  // CHECK: heddle.linear %{{.*}}, %[[D]] :
  %y = heddle.linear %x, %w bias(%b : tensor<32xf32>) : tensor<?x64xf32>, tensor<32x64xbf16>
  %z = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xbf16>
  %u = heddle.linear %y, %turned : tensor<?x32xf32>, tensor<64x32xf32>
  // Matrices that are kept, and the caller's, stay.
  // CHECK: heddle.linear %{{.*}}, %{{.*}} : tensor<?x64xf32, {{.*}}>, tensor<16x64xf32>
  // CHECK: heddle.linear %{{.*}}, %{{.*}} : tensor<?x64xf32, {{.*}}>, tensor<8x64xf32>
  %h = heddle.linear %x, %head : tensor<?x64xf32>, tensor<16x64xf32>
  %v = heddle.linear %x, %m : tensor<?x64xf32>, tensor<8x64xf32>
  return %y, %z, %u, %h, %v : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x64xf32>, tensor<?x16xf32>, tensor<?x8xf32>
}

heddle.weight @up from "up" : tensor<32x64xf32>
heddle.weight @down from "down" : tensor<64x32xf32>

// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> (tensor<?x?x64xf32>, tensor<?x?x64xf32>) {
  // CHECK: %[[U:.*]] = heddle.dequantize %{{.*}} tensor<32x64xf32>
  // CHECK: %[[D:.*]] = heddle.dequantize %{{.*}} tensor<64x32xf32>
  // CHECK: heddle.gated_feed_forward silu %{{.*}}, %[[U]], %[[U]], %[[D]]
  %up = heddle.weight_ref @up : tensor<32x64xf32>
  %down = heddle.weight_ref @down : tensor<64x32xf32>
  %y = heddle.gated_feed_forward silu %x, %up, %up, %down
     : tensor<?x?x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x32xf32>
  // CHECK: heddle.feed_forward relu %{{.*}}, %[[U]], %[[D]]
  %z = heddle.feed_forward relu %x, %up, %down
     : tensor<?x?x64xf32>, tensor<32x64xf32>, tensor<64x32xf32>
  return %y, %z : tensor<?x?x64xf32>, tensor<?x?x64xf32>
}

heddle.weight @queries from "queries" : tensor<8x64xf32>
heddle.weight @experts from "experts" : tensor<4x32x64xf32>

// Products are layers, and what they sum up is in groups.
// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]})
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x2x32xf32>) {
  // CHECK: %[[T:.*]] = heddle.transpose %{{.*}} permutation [1, 0] : tensor<64x32xf32>
  // CHECK: heddle.quantize %[[T]] axis(1) group(64) : tensor<32x64xf32> -> tensor<32x64xi8>, tensor<32x1xf32>
  // CHECK: heddle.quantize %{{.*}} axis(1) group(64) : tensor<32x64xf32> -> tensor<32x64xi8>, tensor<32x1xf32>
  // CHECK: heddle.quantize %{{.*}} axis(2) group(64) : tensor<4x32x64xf32> -> tensor<4x32x64xi8>, tensor<4x32x1xf32>
  %down = heddle.weight_ref @down : tensor<64x32xf32>
  %y = heddle.matmul %x, %down : tensor<?x64xf32>, tensor<64x32xf32> -> tensor<?x32xf32>
  %up = heddle.weight_ref @up : tensor<32x64xf32>
  %z = heddle.matmul %x, %up transpose_b : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
  %experts = heddle.weight_ref @experts : tensor<4x32x64xf32>
  %u = heddle.expert_linear %x, %e, %experts : tensor<?x64xf32>, tensor<?x2xi32>, tensor<4x32x64xf32>
  return %y, %z, %u : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x2x32xf32>
}

// Inputs that are weights stay, and so do constants.
// CHECK-LABEL: func.func @inputs
// CHECK-COUNT-1: heddle.quantize
// CHECK-NOT: heddle.quantize
func.func @inputs() -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %queries = heddle.weight_ref @queries : tensor<8x64xf32>
  %up = heddle.weight_ref @up : tensor<32x64xf32>
  %y = heddle.linear %queries, %up : tensor<8x64xf32>, tensor<32x64xf32>
  %c = arith.constant dense<0.5> : tensor<64x32xf32>
  %t = heddle.transpose %c permutation [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %z = heddle.linear %queries, %t : tensor<8x64xf32>, tensor<32x64xf32>
  return %y, %z : tensor<8x32xf32>, tensor<8x32xf32>
}

heddle.weight @codes from "codes" : tensor<32x64xi8>
heddle.weight @scales from "scales" : tensor<32x2xf16>
heddle.weight @scale from "scale" : tensor<32x1xf32>
heddle.weight @columns from "columns" : tensor<1x64xf32>

// Integers of another grid are made again, and those of this one or of a finer
// one stay.
// CHECK-LABEL: func.func @integers
// CHECK: %[[D:.*]] = heddle.dequantize %{{.*}} tensor<1x64xf32> -> tensor<32x64xf32>
// CHECK: heddle.quantize %[[D]] axis(1) group(64) : tensor<32x64xf32> -> tensor<32x64xi8>, tensor<32x1xf32>
// CHECK: %[[F:.*]] = heddle.dequantize %{{.*}} tensor<32x2xf16> -> tensor<32x64xf32>
// CHECK-NEXT: heddle.linear %{{.*}}, %[[F]] :
// CHECK: %[[S:.*]] = heddle.dequantize %{{.*}} tensor<32x1xf32> -> tensor<32x64xf32>
// CHECK-NEXT: heddle.linear %{{.*}}, %[[S]] :
func.func @integers(%x: tensor<?x64xf32> {heddle.sizes = ["n"]})
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %codes = heddle.weight_ref @codes : tensor<32x64xi8>
  %columns = heddle.weight_ref @columns : tensor<1x64xf32>
  %u = heddle.dequantize %codes, %columns axis(0) : tensor<32x64xi8>, tensor<1x64xf32> -> tensor<32x64xf32>
  %t = heddle.linear %x, %u : tensor<?x64xf32>, tensor<32x64xf32>
  %scales = heddle.weight_ref @scales : tensor<32x2xf16>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x64xi8>, tensor<32x2xf16> -> tensor<32x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xf32>
  %scale = heddle.weight_ref @scale : tensor<32x1xf32>
  %v = heddle.dequantize %codes, %scale axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %z = heddle.linear %x, %v : tensor<?x64xf32>, tensor<32x64xf32>
  return %t, %y, %z : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// Routers stay, and what makes logits has 8 bits at least.
// HALVES-LABEL: func.func @least_bits
// HALVES: %[[R:.*]] = heddle.weight_ref @router
// HALVES: heddle.linear %{{.*}}, %[[R]] {heddle.least_bits = 32 : i64}
// HALVES: heddle.quantize %{{.*}} axis(1) group(32) : tensor<32x64xf32> -> tensor<32x64xi8>, tensor<32x2xbf16>
// HALVES: heddle.linear %{{.*}}, %[[R]] {heddle.least_bits = 32 : i64}
// FLOATS-LABEL: func.func @least_bits
// FLOATS: %[[R:.*]] = heddle.weight_ref @router
// FLOATS: heddle.linear %{{.*}}, %[[R]] {heddle.least_bits = 32 : i64}
// FLOATS: heddle.cast
heddle.weight @router from "router" : tensor<32x64xf32>
heddle.weight @logits from "logits" : tensor<32x64xf32>
func.func @least_bits(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %r = heddle.weight_ref @router : tensor<32x64xf32>
  %y = heddle.linear %x, %r {heddle.least_bits = 32 : i64} : tensor<?x64xf32>, tensor<32x64xf32>
  %l = heddle.weight_ref @logits : tensor<32x64xf32>
  %m = heddle.matmul %x, %r transpose_b {heddle.least_bits = 32} : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
  %z = heddle.linear %x, %l {heddle.least_bits = 8 : i64} : tensor<?x64xf32>, tensor<32x64xf32>
  return %y, %z, %m : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}
