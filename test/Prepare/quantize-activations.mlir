// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-quantize-activations -split-input-file 2>/dev/null | FileCheck %s
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-quantize-activations -split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-quantize-activations=bits=8 -split-input-file 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=BYTES
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-quantize-activations="bits=8 largest-error=0.006" \
// RUN:   -split-input-file 2>/dev/null | FileCheck %s --check-prefix=ERROR
// RUN: not heddle-opt %s --heddle-quantize-activations=bits=12 -split-input-file 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: expected inputs of 8 or 16 bits, found 12
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-quantize-activations=bits=8 -split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARNING
// WARNING: warning: computed in f32, as no 16 inputs or more, in pairs, have one scale of the matrix, or it has fewer than 16 outputs

// Inputs of 8 bits have a scale for a row, or for each group of the matrix.
// BYTES-LABEL: func.func @layers
// BYTES-DAG: heddle.quantize %{{.*}} axis(1) group(768) : {{.*}} -> tensor<?x768xi8, {{.*}}>, tensor<?x1xf32, {{.*}}>
// BYTES-DAG: heddle.quantize %{{.*}} axis(1) group(32) : {{.*}} -> tensor<?x768xi8, {{.*}}>, tensor<?x24xf32, {{.*}}>

// Inputs with a scale for a row are off by 0.0076 of their root mean square, those of groups of 32 by 0.0053.
// ERROR-LABEL: func.func @layers
// ERROR-DAG: heddle.quantize %{{.*}} axis(1) group(256) : {{.*}} -> tensor<?x768xi16, {{.*}}>, tensor<?x3xf32, {{.*}}>
// ERROR-DAG: heddle.quantize %{{.*}} axis(1) group(32) : {{.*}} -> tensor<?x768xi8, {{.*}}>, tensor<?x24xf32, {{.*}}>

heddle.weight @codes from "codes" : tensor<32x768xi8>
heddle.weight @scales from "scales" : tensor<32x1xf32>
heddle.weight @groups from "groups" : tensor<32x24xf16>
heddle.weight @halves from "halves" : tensor<32x768xui4>
heddle.weight @zeros from "zeros" : tensor<32x24xui4>
heddle.weight @minimums from "minimums" : tensor<32x24xf16>
heddle.weight @own from "own" : tensor<32x32xi4>
heddle.weight @own.scales from "own.scales" : tensor<32x1xf32>
heddle.weight @back from "back" : tensor<768x32xi8>
heddle.weight @back.scales from "back.scales" : tensor<768x1xf32>

// What several layers read is quantised once for each size of groups: 256, which whole groups of 32
// make, too. Of the caller's matrix it stays as it is.
// CHECK-LABEL: func.func @layers
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<?x768xf32
// CHECK: %[[Q:.*]], %[[S:.*]] = heddle.quantize %[[X]] axis(1) group(256) : {{.*}} -> tensor<?x768xi16, {{.*}}>, tensor<?x3xf32, {{.*}}>
// CHECK-NEXT: %[[D:.*]] = heddle.dequantize %[[Q]], %[[S]] axis(1)
// CHECK-NOT: heddle.quantize
// CHECK: heddle.linear %[[D]], %{{.*}} : tensor<?x768xf32, {{.*}}>, tensor<32x768xf32>
// CHECK: heddle.linear %[[D]], %{{.*}} : tensor<?x768xf32, {{.*}}>, tensor<32x768xf32>
// CHECK: heddle.linear %[[D]], %{{.*}} : tensor<?x768xf32, {{.*}}>, tensor<32x768xf32>
// CHECK: heddle.linear %[[X]], %{{.*}} : tensor<?x768xf32, {{.*}}>, tensor<32x768xf32>
func.func @layers(%x: tensor<?x768xf32> {heddle.sizes = ["n"]}, %other: tensor<32x768xi8>)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %codes = heddle.weight_ref @codes : tensor<32x768xi8>
  %scales = heddle.weight_ref @scales : tensor<32x1xf32>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x768xi8>, tensor<32x1xf32> -> tensor<32x768xf32>
  %y = heddle.linear %x, %w : tensor<?x768xf32>, tensor<32x768xf32>
  %groups = heddle.weight_ref @groups : tensor<32x24xf16>
  %v = heddle.dequantize %codes, %groups axis(1) : tensor<32x768xi8>, tensor<32x24xf16> -> tensor<32x768xf32>
  %z = heddle.linear %x, %v : tensor<?x768xf32>, tensor<32x768xf32>
  %halves = heddle.weight_ref @halves : tensor<32x768xui4>
  %zeros = heddle.weight_ref @zeros : tensor<32x24xui4>
  %u = heddle.dequantize %halves, %groups zeros(%zeros : tensor<32x24xui4>) axis(1) : tensor<32x768xui4>, tensor<32x24xf16> -> tensor<32x768xf32>
  %a = heddle.linear %x, %u : tensor<?x768xf32>, tensor<32x768xf32>
  %t = heddle.dequantize %other, %scales axis(1) : tensor<32x768xi8>, tensor<32x1xf32> -> tensor<32x768xf32>
  %b = heddle.linear %x, %t : tensor<?x768xf32>, tensor<32x768xf32>
  return %y, %z, %a, %b : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// Minimums multiply the sums of groups, in a product of 24 terms; sums are made once.
// CHECK-LABEL: func.func @with_minimums
// CHECK: %[[Q:.*]], %[[S:.*]] = heddle.quantize %{{.*}} axis(1) group(256)
// CHECK: %[[D:.*]] = heddle.dequantize %[[Q]], %[[S]] axis(1)
// CHECK: %[[GROUPS:.*]] = heddle.reshape %[[D]] to ["n", 24, 32]
// CHECK: %[[SUMS:.*]] = heddle.reduce sum %[[GROUPS]] axes [2]
// CHECK-NOT: heddle.reduce
// CHECK: %[[M:.*]] = heddle.weight_ref @minimums
// CHECK: %[[W:.*]] = heddle.dequantize %{{.*}}, %{{.*}} axis(1) : tensor<32x768xui4>
// CHECK: %[[Z:.*]] = heddle.linear %[[SUMS]], %[[M]] : {{.*}}, tensor<32x24xf16>
// CHECK: %[[Y:.*]] = heddle.linear %[[D]], %[[W]] bias(%{{.*}} : tensor<32xf32>)
// CHECK: arith.subf %[[Y]], %[[Z]]
// CHECK: heddle.linear %[[SUMS]], %[[M]]
func.func @with_minimums(%x: tensor<?x768xf32> {heddle.sizes = ["n"]}, %bias: tensor<32xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %halves = heddle.weight_ref @halves : tensor<32x768xui4>
  %groups = heddle.weight_ref @groups : tensor<32x24xf16>
  %minimums = heddle.weight_ref @minimums : tensor<32x24xf16>
  %w = heddle.dequantize %halves, %groups minimums(%minimums : tensor<32x24xf16>) axis(1) : tensor<32x768xui4>, tensor<32x24xf16> -> tensor<32x768xf32>
  %y = heddle.linear %x, %w bias(%bias : tensor<32xf32>) : tensor<?x768xf32>, tensor<32x768xf32>
  %z = heddle.linear %x, %w : tensor<?x768xf32>, tensor<32x768xf32>
  return %y, %z : tensor<?x32xf32>, tensor<?x32xf32>
}

// Projections of attention, and what it gives.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<?x?x32xf32
// CHECK: heddle.quantize %[[X]] axis(2) group(32)
// CHECK-COUNT-3: heddle.linear
// CHECK: %[[A:.*]] = heddle.attention
// CHECK: heddle.quantize %[[A]] axis(2) group(32)
// CHECK: heddle.linear
func.func @attention(%x: tensor<?x?x32xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x32xf32> {
  %own = heddle.weight_ref @own : tensor<32x32xi4>
  %own.scales = heddle.weight_ref @own.scales : tensor<32x1xf32>
  %w = heddle.dequantize %own, %own.scales axis(1) : tensor<32x32xi4>, tensor<32x1xf32> -> tensor<32x32xf32>
  %y = heddle.multi_head_attention %x, %x, %x heads(4, kv = 4)
       query(%w : tensor<32x32xf32>) key(%w : tensor<32x32xf32>) value(%w : tensor<32x32xf32>)
       output(%w : tensor<32x32xf32>)
     : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// Both matrices of a feed-forward layer have inputs.
// CHECK-LABEL: func.func @feed_forward
// CHECK: heddle.quantize %{{.*}} axis(2) group(256)
// CHECK: heddle.linear
// CHECK: %[[H:.*]] = heddle.activation relu
// CHECK: heddle.quantize %[[H]] axis(2) group(32) : {{.*}} -> tensor<?x?x32xi16, {{.*}}>, tensor<?x?x1xf32, {{.*}}>
// CHECK: heddle.linear
func.func @feed_forward(%x: tensor<?x?x768xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x768xf32> {
  %codes = heddle.weight_ref @codes : tensor<32x768xi8>
  %scales = heddle.weight_ref @scales : tensor<32x1xf32>
  %up = heddle.dequantize %codes, %scales axis(1) : tensor<32x768xi8>, tensor<32x1xf32> -> tensor<32x768xf32>
  %back = heddle.weight_ref @back : tensor<768x32xi8>
  %back.scales = heddle.weight_ref @back.scales : tensor<768x1xf32>
  %down = heddle.dequantize %back, %back.scales axis(1) : tensor<768x32xi8>, tensor<768x1xf32> -> tensor<768x32xf32>
  %y = heddle.feed_forward relu %x, %up, %down
     : tensor<?x?x768xf32>, tensor<32x768xf32>, tensor<768x32xf32>
  return %y : tensor<?x?x768xf32>
}

// Experts, with the sums that their minimums multiply, and what a mixture of them is made of. The shared
// one is f32.
// CHECK-LABEL: func.func @expert_layer
// CHECK: %[[Q:.*]], %[[S:.*]] = heddle.quantize %{{.*}} axis(1) group(64)
// CHECK: %[[D:.*]] = heddle.dequantize %[[Q]], %[[S]] axis(1)
// CHECK: %[[SUMS:.*]] = heddle.reduce sum
// CHECK: %[[Z:.*]] = heddle.expert_linear %[[SUMS]], %{{.*}}, %{{[a-z0-9]+}} : {{.*}}, tensor<4x32x2xf16>
// CHECK: %[[Y:.*]] = heddle.expert_linear %[[D]], %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<4x32xf32>)
// CHECK: arith.subf %[[Y]], %[[Z]]
// CHECK-LABEL: func.func @mixture
// CHECK-NOT: heddle.mixture_of_experts
// CHECK: heddle.quantize %{{.*}} axis(1) group(64)
// CHECK-COUNT-2: heddle.expert_linear
// CHECK: heddle.quantize %{{.*}} axis(2) group(32)
// CHECK: heddle.expert_linear
// CHECK: heddle.gated_feed_forward
heddle.weight @experts from "experts" : tensor<4x32x64xi8>
heddle.weight @experts.scales from "experts.scales" : tensor<4x32x2xf16>
heddle.weight @experts.minimums from "experts.minimums" : tensor<4x32x2xf16>
heddle.weight @outputs from "outputs" : tensor<4x64x32xi8>
heddle.weight @outputs.scales from "outputs.scales" : tensor<4x64x1xf16>
heddle.weight @router from "router" : tensor<4x64xf32>
heddle.weight @shared from "shared" : tensor<32x64xf32>
heddle.weight @shared.down from "shared.down" : tensor<64x32xf32>
func.func @expert_layer(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]}, %bias: tensor<4x32xf32>) -> tensor<?x2x32xf32> {
  %codes = heddle.weight_ref @experts : tensor<4x32x64xi8>
  %scales = heddle.weight_ref @experts.scales : tensor<4x32x2xf16>
  %minimums = heddle.weight_ref @experts.minimums : tensor<4x32x2xf16>
  %w = heddle.dequantize %codes, %scales minimums(%minimums : tensor<4x32x2xf16>) axis(2) : tensor<4x32x64xi8>, tensor<4x32x2xf16> -> tensor<4x32x64xf32>
  %y = heddle.expert_linear %x, %e, %w bias(%bias : tensor<4x32xf32>) : tensor<?x64xf32>, tensor<?x2xi32>, tensor<4x32x64xf32>
  return %y : tensor<?x2x32xf32>
}
func.func @mixture(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %codes = heddle.weight_ref @experts : tensor<4x32x64xi8>
  %scales = heddle.weight_ref @experts.scales : tensor<4x32x2xf16>
  %w = heddle.dequantize %codes, %scales axis(2) : tensor<4x32x64xi8>, tensor<4x32x2xf16> -> tensor<4x32x64xf32>
  %outputs = heddle.weight_ref @outputs : tensor<4x64x32xi8>
  %outputs.scales = heddle.weight_ref @outputs.scales : tensor<4x64x1xf16>
  %v = heddle.dequantize %outputs, %outputs.scales axis(2) : tensor<4x64x32xi8>, tensor<4x64x1xf16> -> tensor<4x64x32xf32>
  %r = heddle.weight_ref @router : tensor<4x64xf32>
  %s = heddle.weight_ref @shared : tensor<32x64xf32>
  %d = heddle.weight_ref @shared.down : tensor<64x32xf32>
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%w, %w, %v) shared(%s, %s, %d : tensor<32x64xf32>, tensor<32x64xf32>, tensor<64x32xf32>) top(2)
     : tensor<?x64xf32>, tensor<4x64xf32>, tensor<4x32x64xf32>, tensor<4x32x64xf32>, tensor<4x64x32xf32>
  return %y : tensor<?x64xf32>
}

// Groups of 20 half bytes have no whole places: their inputs, and what is made of several layers, stay
// as they are.
// CHECK-LABEL: func.func @no_places
// CHECK-NOT: heddle.quantize
// CHECK: heddle.feed_forward
heddle.weight @odd from "odd" : tensor<40x40xi4>
heddle.weight @odd.scales from "odd.scales" : tensor<40x2xf32>
func.func @no_places(%x: tensor<?x40xf32> {heddle.sizes = ["n"]}) -> (tensor<?x40xf32>, tensor<?x40xf32>) {
  %odd = heddle.weight_ref @odd : tensor<40x40xi4>
  %odd.scales = heddle.weight_ref @odd.scales : tensor<40x2xf32>
  %w = heddle.dequantize %odd, %odd.scales axis(1) : tensor<40x40xi4>, tensor<40x2xf32> -> tensor<40x40xf32>
  %y = heddle.feed_forward relu %x, %w, %w : tensor<?x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>
  %z = heddle.linear %x, %w : tensor<?x40xf32>, tensor<40x40xf32>
  return %y, %z : tensor<?x40xf32>, tensor<?x40xf32>
}

// -----

// NONE: error: int16 arithmetic: expected a linear layer whose matrix is integers of 8 bits or fewer with a scale for 16 inputs or more, which --weight-type=int8 and int4 make, found none
heddle.weight @w from "w" : tensor<32x64xbf16>
func.func @floats(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x64xbf16>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xbf16>
  return %y : tensor<?x32xf32>
}
