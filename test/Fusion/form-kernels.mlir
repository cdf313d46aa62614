// RUN: heddle-opt %s -split-input-file --heddle-to-kernels | FileCheck %s

heddle.weight @embed from "embed" : tensor<512x64xf32>
heddle.weight @norm from "norm" : tensor<64xf32>
heddle.weight @q0 from "q0" : tensor<64x64xf32>
heddle.weight @k0 from "k0" : tensor<32x64xf32>
heddle.weight @o0 from "o0" : tensor<64x64xf32>
heddle.weight @q1 from "q1" : tensor<64x64xf32>
heddle.weight @k1 from "k1" : tensor<32x64xf32>
heddle.weight @o1 from "o1" : tensor<64x64xf32>

// Layers that differ in weights and cache layer alone launch the same kernels.
// CHECK-LABEL: func.func @two_layers
// CHECK-SAME: (%[[IDS:.*]]: tensor<?x?xi32, {{.*}}, %[[STARTS:.*]]: tensor<?xi32, {{.*}}, %[[LENGTHS:.*]]: tensor<?xi32, {{.*}}, %[[C:.*]]: !heddle.cache<2 x 4 x 8 x f32, <"batch", "capacity">>)
// CHECK-DAG: %[[Q0:.*]] = heddle.weight_ref @q0
// CHECK-DAG: %[[O0:.*]] = heddle.weight_ref @o0
// CHECK-DAG: %[[Q1:.*]] = heddle.weight_ref @q1
// CHECK-DAG: %[[O1:.*]] = heddle.weight_ref @o1
// CHECK: %[[X0:.*]]:2 = heddle.launch @two_layers_embedding_rms_norm3(%[[IDS]],
// CHECK-NEXT: %[[P0:.*]] = heddle.launch @[[PROJECT:two_layers_linear]](%[[X0]]#1, %[[Q0]])
// CHECK-NEXT: %[[K0:.*]] = heddle.launch @[[KEYS:two_layers_linear_1]](%[[X0]]#1, %{{.*}})
// CHECK-NEXT: %[[C0:.*]] = heddle.launch @[[APPEND:two_layers_cache_append]](%[[C]], %[[K0]], %[[STARTS]], %[[LENGTHS]]) layer(0)
// CHECK-NEXT: %[[A0:.*]] = heddle.launch @[[ATTEND:two_layers_attention]](%[[P0]], %[[C0]], %[[STARTS]]) layer(0)
// CHECK-NEXT: %[[X1:.*]] = heddle.launch @[[OUT:two_layers_linear_addf]](%[[A0]], %[[O0]], %[[X0]]#0)
// CHECK-NEXT: %[[N1:.*]] = heddle.launch @two_layers_rms_norm3(%[[X1]], %{{.*}})
// CHECK-NEXT: %[[P1:.*]] = heddle.launch @[[PROJECT]](%[[N1]], %[[Q1]])
// CHECK-NEXT: %[[K1:.*]] = heddle.launch @[[KEYS]](%[[N1]], %{{.*}})
// CHECK-NEXT: %[[C1:.*]] = heddle.launch @[[APPEND]](%[[C0]], %[[K1]], %[[STARTS]], %[[LENGTHS]]) layer(1)
// CHECK-NEXT: %[[A1:.*]] = heddle.launch @[[ATTEND]](%[[P1]], %[[C1]], %[[STARTS]]) layer(1)
// CHECK-NEXT: %[[X2:.*]] = heddle.launch @[[OUT]](%[[A1]], %[[O1]], %[[X1]])
// CHECK-NEXT: %[[L:.*]] = heddle.launch @two_layers_last_token(%[[LENGTHS]], %[[X2]])
// CHECK-NEXT: %[[Y:.*]] = heddle.launch @two_layers_linear_2(%[[L]],
// CHECK-NEXT: return %[[Y]], %[[C1]]
func.func @two_layers(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c0: !heddle.cache<2 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x512xf32>, !heddle.cache<2 x 4 x 8 x f32>) {
  %e = heddle.weight_ref @embed : tensor<512x64xf32>
  %norm = heddle.weight_ref @norm : tensor<64xf32>
  %wq0 = heddle.weight_ref @q0 : tensor<64x64xf32>
  %wk0 = heddle.weight_ref @k0 : tensor<32x64xf32>
  %wo0 = heddle.weight_ref @o0 : tensor<64x64xf32>
  %wq1 = heddle.weight_ref @q1 : tensor<64x64xf32>
  %wk1 = heddle.weight_ref @k1 : tensor<32x64xf32>
  %wo1 = heddle.weight_ref @o1 : tensor<64x64xf32>
  %x0 = heddle.embedding %ids, %e : tensor<?x?xi32>, tensor<512x64xf32>

  %n0 = heddle.rms_norm %x0, %norm epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
  %q0 = heddle.linear %n0, %wq0 : tensor<?x?x64xf32>, tensor<64x64xf32>
  %k0 = heddle.linear %n0, %wk0 : tensor<?x?x64xf32>, tensor<32x64xf32>
  %c1 = heddle.cache.append %c0, %k0, %k0 layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %kk0, %vv0 = heddle.cache.read %c1 layer(0) : !heddle.cache<2 x 4 x 8 x f32>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %a0 = heddle.attention %q0, %kk0, %vv0 mask(%m) heads(8, kv = 4) scale(0.35)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %o0 = heddle.linear %a0, %wo0 : tensor<?x?x64xf32>, tensor<64x64xf32>
  %x1 = arith.addf %x0, %o0 : tensor<?x?x64xf32>

  %n1 = heddle.rms_norm %x1, %norm epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
  %q1 = heddle.linear %n1, %wq1 : tensor<?x?x64xf32>, tensor<64x64xf32>
  %k1 = heddle.linear %n1, %wk1 : tensor<?x?x64xf32>, tensor<32x64xf32>
  %c2 = heddle.cache.append %c1, %k1, %k1 layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %kk1, %vv1 = heddle.cache.read %c2 layer(1) : !heddle.cache<2 x 4 x 8 x f32>
  %a1 = heddle.attention %q1, %kk1, %vv1 mask(%m) heads(8, kv = 4) scale(0.35)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %o1 = heddle.linear %a1, %wo1 : tensor<?x?x64xf32>, tensor<64x64xf32>
  %x2 = arith.addf %x1, %o1 : tensor<?x?x64xf32>

  %last = heddle.last_token %x2, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %y = heddle.linear %last, %e : tensor<?x64xf32>, tensor<512x64xf32>
  return %y, %c2 : tensor<?x512xf32>, !heddle.cache<2 x 4 x 8 x f32>
}

// Arguments say which are weights, and how these lie in memory.
// CHECK: heddle.kernel @two_layers_embedding_rms_norm3(
// CHECK-SAME: tensor<?x?xi32, #heddle.sizes<"batch", "length">>
// CHECK-SAME: tensor<512x64xf32> {heddle.layout = #heddle.layout<panels of {{.*}} along 0>, heddle.weight}
// CHECK-SAME: -> (tensor<?x?x64xf32, #heddle.sizes<"batch", "length">>

// A kernel works on one layer of the cache, whichever that is.
// CHECK: heddle.kernel @[[APPEND]](
// CHECK-SAME: !heddle.cache<1 x 4 x 8 x f32, <"batch", "capacity">>
// CHECK: heddle.cache.append {{.*}} layer(0)

// Masks and cache reads move into the kernel that needs them.
// CHECK: heddle.kernel @[[ATTEND]](
// CHECK-DAG: heddle.cache.read {{.*}} layer(0)
// CHECK-DAG: heddle.mask.causal
// CHECK: heddle.attention

// CHECK: heddle.kernel @[[OUT]](
// CHECK-NEXT: heddle.generic {{.*}} reduce [64]
// CHECK: heddle.generic
// CHECK: arith.addf

// CHECK: heddle.kernel @two_layers_linear_2(
// CHECK-SAME: -> tensor<?x512xf32, #heddle.sizes<"batch">>
// CHECK-NOT: heddle.kernel

// -----

// Buffers of the caller and those in the workspace are the same to a kernel.
// CHECK-LABEL: func.func @repeated
// CHECK: heddle.launch @repeated_linear(
// CHECK: heddle.launch @repeated_linear(
heddle.weight @w from "w" : tensor<60x60xf32>
func.func @repeated(%x: tensor<?x60xf32> {heddle.sizes = ["rows"]}) -> tensor<?x60xf32> {
  %w = heddle.weight_ref @w : tensor<60x60xf32>
  %0 = heddle.linear %x, %w : tensor<?x60xf32>, tensor<60x60xf32>
  %1 = heddle.linear %0, %w : tensor<?x60xf32>, tensor<60x60xf32>
  return %1 : tensor<?x60xf32>
}

// -----

// What is returned may be read, too.
// CHECK-LABEL: func.func @returned_and_read
// CHECK: %[[Y:.*]] = heddle.launch @returned_and_read_linear(
// CHECK-NEXT: %[[Z:.*]] = heddle.launch @returned_and_read_linear(%[[Y]],
// CHECK-NEXT: return %[[Y]], %[[Z]]
// CHECK: heddle.kernel @returned_and_read_linear(%{{[^:]*}}: tensor<?x60xf32, #heddle.sizes<"rows">>
heddle.weight @v from "v" : tensor<60x60xf32>
heddle.weight @w from "w" : tensor<60x60xf32>
func.func @returned_and_read(%x: tensor<?x60xf32> {heddle.sizes = ["rows"]}) -> (tensor<?x60xf32>, tensor<?x60xf32>) {
  %v = heddle.weight_ref @v : tensor<60x60xf32>
  %w = heddle.weight_ref @w : tensor<60x60xf32>
  %y = heddle.linear %x, %v : tensor<?x60xf32>, tensor<60x60xf32>
  %z = heddle.linear %y, %w : tensor<?x60xf32>, tensor<60x60xf32>
  return %y, %z : tensor<?x60xf32>, tensor<?x60xf32>
}

// -----

// It is computed once.
// CHECK-LABEL: func.func @returned_twice
// CHECK: %[[Y:.*]] = heddle.launch
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @returned_twice(%x: tensor<?x60xf32> {heddle.sizes = ["rows"]})
    -> (tensor<?x60xf32>, tensor<?x60xf32>) {
  %y = heddle.activation relu %x : tensor<?x60xf32>
  return %y, %y : tensor<?x60xf32>, tensor<?x60xf32>
}

// -----

// The old cache is read before the append changes it, although what is appended is
// ready earlier.
// CHECK-LABEL: func.func @append_after_read
// CHECK-SAME: %[[CACHE:[^:]*]]: !heddle.cache
// CHECK: %[[K:.*]] = heddle.launch @append_after_read_activation(
// CHECK: heddle.launch @append_after_read_attention({{.*}}%[[CACHE]]
// CHECK: heddle.launch @append_after_read_cache_append(%[[CACHE]], %[[K]]
func.func @append_after_read(%cache: !heddle.cache<2 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %h: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<?x?x64xf32>, !heddle.cache<2 x 4 x 8 x f32>) {
  %k = heddle.activation relu %h : tensor<?x?x32xf32>
  %keys, %values = heddle.cache.read %cache layer(0) : !heddle.cache<2 x 4 x 8 x f32>
  %y = heddle.attention %x, %keys, %values heads(8, kv = 4) scale(1.0)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %c = heddle.cache.append %cache, %k, %k layer(0) at(%s) lengths(%n)
     : !heddle.cache<2 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  return %y, %c : tensor<?x?x64xf32>, !heddle.cache<2 x 4 x 8 x f32>
}

// -----

// What leads to no result is no kernel.
// CHECK-LABEL: func.func @dead
// CHECK-COUNT-1: heddle.launch
// CHECK-NOT: heddle.launch
// CHECK: return
func.func @dead(%x: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %a = heddle.activation relu %x : tensor<2x64xf32>
  %b = heddle.activation silu %x : tensor<2x64xf32>
  %c = heddle.activation silu %b : tensor<2x64xf32>
  return %a : tensor<2x64xf32>
}
