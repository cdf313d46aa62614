// RUN: heddle-opt %s --heddle-set-target=cpu=icelake-server --heddle-resolve-sizes --heddle-remove-signs \
// RUN:   | FileCheck %s
// RUN: heddle-opt %s --heddle-set-target=cpu=x86-64-v4 --heddle-resolve-sizes --heddle-remove-signs \
// RUN:   | FileCheck %s --check-prefix=OTHERS

// A CPU without products of bytes.
// OTHERS-NOT: heddle.offset_binary

heddle.weight @codes from "codes" : tensor<32x64xi8>
heddle.weight @scales from "scales" : tensor<32x1xf32>
heddle.weight @halves from "halves" : tensor<32x64xi4>
heddle.weight @groups from "groups" : tensor<32x2xf16>
heddle.weight @unsigned from "unsigned" : tensor<32x64xui8>

// CHECK-LABEL: func.func @bytes
// CHECK: %[[D:.*]] = heddle.dequantize %{{.*}} : tensor<?x64xi8
// CHECK: %[[U:.*]] = heddle.offset_binary %{{.*}} : tensor<32x64xi8> -> tensor<32x64xui8>
// CHECK: %[[W:.*]] = heddle.dequantize %[[U]], %[[T:[^ ]+]] axis(1)
// CHECK: %[[M:.*]] = heddle.generic over ["n", 1] reduce [64] {{.*}} ins(%[[D]]
// CHECK: arith.constant 1.280000e+02 : f32
// CHECK: %[[O:.*]] = heddle.linear %[[M]], %[[T]] :
// CHECK: %[[Z:.*]] = heddle.linear %[[D]], %[[W]] bias
// CHECK: %[[Y:.*]] = arith.subf %[[Z]], %[[O]]
// CHECK: return %[[Y]]
func.func @bytes(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %bias: tensor<32xf32>) -> tensor<?x32xf32> {
  %q, %s = heddle.quantize %x axis(1) group(64) : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %codes = heddle.weight_ref @codes : tensor<32x64xi8>
  %scales = heddle.weight_ref @scales : tensor<32x1xf32>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %y = heddle.linear %d, %w bias(%bias : tensor<32xf32>) : tensor<?x64xf32>, tensor<32x64xf32>
  return %y : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @half_bytes
// CHECK: heddle.offset_binary %{{.*}} : tensor<32x64xi4> -> tensor<32x64xui4>
// CHECK: arith.constant 8.000000e+00 : f32
// CHECK: heddle.linear %{{.*}}, %{{.*}} : tensor<?x2xf32, {{.*}}>, tensor<32x2xf16>
func.func @half_bytes(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %q, %s = heddle.quantize %x axis(1) group(32) : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi8>, tensor<?x2xf32> -> tensor<?x64xf32>
  %halves = heddle.weight_ref @halves : tensor<32x64xi4>
  %groups = heddle.weight_ref @groups : tensor<32x2xf16>
  %w = heddle.dequantize %halves, %groups axis(1) : tensor<32x64xi4>, tensor<32x2xf16> -> tensor<32x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<32x64xf32>
  return %y : tensor<?x32xf32>
}

// Of each expert.
heddle.weight @expert_codes from "expert_codes" : tensor<4x32x64xi8>
heddle.weight @expert_scales from "expert_scales" : tensor<4x32x1xf32>
// CHECK-LABEL: func.func @experts
// CHECK: %[[D:.*]] = heddle.dequantize %{{.*}} : tensor<?x64xi8
// CHECK: %[[U:.*]] = heddle.offset_binary %{{.*}} : tensor<4x32x64xi8> -> tensor<4x32x64xui8>
// CHECK: %[[W:.*]] = heddle.dequantize %[[U]], %[[T:[^ ]+]] axis(2)
// CHECK: %[[M:.*]] = heddle.generic over ["n", 1] reduce [64] {{.*}} ins(%[[D]]
// CHECK: %[[O:.*]] = heddle.expert_linear %[[M]], %[[E:.*]], %[[T]] :
// CHECK: %[[Z:.*]] = heddle.expert_linear %[[D]], %[[E]], %[[W]] :
// CHECK: %[[Y:.*]] = arith.subf %[[Z]], %[[O]]
// CHECK: return %[[Y]]
func.func @experts(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x32xf32> {
  %q, %s = heddle.quantize %x axis(1) group(64) : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %codes = heddle.weight_ref @expert_codes : tensor<4x32x64xi8>
  %scales = heddle.weight_ref @expert_scales : tensor<4x32x1xf32>
  %w = heddle.dequantize %codes, %scales axis(2) : tensor<4x32x64xi8>, tensor<4x32x1xf32> -> tensor<4x32x64xf32>
  %y = heddle.expert_linear %d, %e, %w : tensor<?x64xf32>, tensor<?x2xi32>, tensor<4x32x64xf32>
  return %y : tensor<?x2x32xf32>
}

// A matrix of two layers is stored once.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: heddle.offset_binary
// CHECK-NOT: tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
// CHECK: return
func.func @shared(%q: tensor<?x64xi8> {heddle.sizes = ["n"]}, %r: tensor<?x64xi8> {heddle.sizes = ["n"]},
    %s: tensor<?x1xf32> {heddle.sizes = ["n"]}) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %e = heddle.dequantize %r, %s axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %codes = heddle.weight_ref @codes : tensor<32x64xi8>
  %scales = heddle.weight_ref @scales : tensor<32x1xf32>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<32x64xf32>
  %z = heddle.linear %e, %w : tensor<?x64xf32>, tensor<32x64xf32>
  return %y, %z : tensor<?x32xf32>, tensor<?x32xf32>
}

// Tables of embeddings, which are stored once, and layers of few outputs.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: heddle.offset_binary
heddle.weight @few from "few" : tensor<15x64xi8>
heddle.weight @few.scales from "few.scales" : tensor<15x1xf32>
func.func @stay(%ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> (tensor<?x32xf32>, tensor<?x15xf32>) {
  %codes = heddle.weight_ref @codes : tensor<32x64xi8>
  %scales = heddle.weight_ref @scales : tensor<32x1xf32>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %x = heddle.embedding %ids, %w : tensor<?xi32>, tensor<32x64xf32>
  %q, %s = heddle.quantize %x axis(1) group(64) : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<32x64xf32>
  %few = heddle.weight_ref @few : tensor<15x64xi8>
  %few.scales = heddle.weight_ref @few.scales : tensor<15x1xf32>
  %v = heddle.dequantize %few, %few.scales axis(1) : tensor<15x64xi8>, tensor<15x1xf32> -> tensor<15x64xf32>
  %z = heddle.linear %d, %v : tensor<?x64xf32>, tensor<15x64xf32>
  return %y, %z : tensor<?x32xf32>, tensor<?x15xf32>
}

// Inputs of 16 bits, matrices that have no sign, and those of the caller stay as they are, and so do
// groups that are no whole number of fours.
// CHECK-LABEL: func.func @others
// CHECK-NOT: heddle.offset_binary
func.func @others(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %mine: tensor<32x64xi8>)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %q, %s = heddle.quantize %x axis(1) group(64) : tensor<?x64xf32> -> tensor<?x64xi16>, tensor<?x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x1xf32> -> tensor<?x64xf32>
  %codes = heddle.weight_ref @codes : tensor<32x64xi8>
  %scales = heddle.weight_ref @scales : tensor<32x1xf32>
  %w = heddle.dequantize %codes, %scales axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<32x64xf32>
  %p, %r = heddle.quantize %x axis(1) group(64) : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  %e = heddle.dequantize %p, %r axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %unsigned = heddle.weight_ref @unsigned : tensor<32x64xui8>
  %v = heddle.dequantize %unsigned, %scales axis(1) : tensor<32x64xui8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %z = heddle.linear %e, %v : tensor<?x64xf32>, tensor<32x64xf32>
  %u = heddle.dequantize %mine, %scales axis(1) : tensor<32x64xi8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %t = heddle.linear %e, %u : tensor<?x64xf32>, tensor<32x64xf32>
  %n, %m = heddle.quantize %x axis(1) group(2) : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x32xf32>
  %o = heddle.dequantize %n, %m axis(1) : tensor<?x64xi8>, tensor<?x32xf32> -> tensor<?x64xf32>
  %k = heddle.linear %o, %w : tensor<?x64xf32>, tensor<32x64xf32>
  return %y, %z, %t, %k : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}
