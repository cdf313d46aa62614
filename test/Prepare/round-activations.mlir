// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-round-activations | FileCheck %s
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-round-activations=round=false | FileCheck %s --check-prefix=SAME
// RUN: not heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-round-activations=round=false 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-round-activations=required=false \
// RUN:   | FileCheck %s --check-prefix=QUIET --implicit-check-not=heddle.cast

// NONE: error: bf16 arithmetic: expected a linear layer whose matrix is bf16, which --weight-type=bf16 makes, found none
// QUIET: func.func @linear
// For a CPU without such products there has to be a layer, too, and it stays.
// SAME: heddle.feed_forward

heddle.weight @w from "w" : tensor<32x64xbf16>
heddle.weight @down from "down" : tensor<64x32xbf16>
heddle.weight @wide from "wide" : tensor<32x64xf32>

// Once for all layers that read a value, and not for matrices of f32.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:[^:]+]]:
// CHECK: %[[R:.*]] = heddle.cast %[[X]] : tensor<?x64xf32, {{.*}}> -> tensor<?x64xbf16
// CHECK-NEXT: %[[D:.*]] = heddle.cast %[[R]] : tensor<?x64xbf16, {{.*}}> -> tensor<?x64xf32
// CHECK-NOT: heddle.cast
// CHECK: heddle.linear %[[D]], %{{.*}} bias
// CHECK: heddle.linear %[[D]],
// CHECK: heddle.linear %[[X]],
func.func @linear(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %bias: tensor<32xf32>)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %w = heddle.weight_ref @w : tensor<32x64xbf16>
  %v = heddle.weight_ref @wide : tensor<32x64xf32>
  %a = heddle.linear %x, %w bias(%bias : tensor<32xf32>) : tensor<?x64xf32>, tensor<32x64xbf16>
  %b = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xbf16>
  %c = heddle.linear %x, %v : tensor<?x64xf32>, tensor<32x64xf32>
  return %a, %b, %c : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// Matrices that are made of weights, and products with a matrix.
// CHECK-LABEL: func.func @made
// CHECK: %[[D:.*]] = heddle.cast %{{.*}} : tensor<?x64xbf16, {{.*}}> -> tensor<?x64xf32
// CHECK: %[[N:.*]] = heddle.cast %{{.*}} : tensor<32x64xf32> -> tensor<32x64xbf16>
// CHECK: heddle.linear %[[D]], %[[N]]
// CHECK: %[[D:.*]] = heddle.cast %{{.*}} : tensor<?x32xbf16, {{.*}}> -> tensor<?x32xf32
// CHECK: heddle.matmul %[[D]],
func.func @made(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %v = heddle.weight_ref @wide : tensor<32x64xf32>
  %n = heddle.cast %v : tensor<32x64xf32> -> tensor<32x64xbf16>
  %y = heddle.linear %x, %n : tensor<?x64xf32>, tensor<32x64xbf16>
  %w = heddle.weight_ref @w : tensor<32x64xbf16>
  %f = heddle.cast %w : tensor<32x64xbf16> -> tensor<32x64xf32>
  %z = heddle.matmul %y, %f : tensor<?x32xf32>, tensor<32x64xf32> -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

// Layers of several matrices become linear ones.
// CHECK-LABEL: func.func @feed_forward
// CHECK: heddle.linear
// CHECK: heddle.cast %{{.*}} : tensor<?x32xf32, {{.*}}> -> tensor<?x32xbf16
// CHECK: heddle.linear
func.func @feed_forward(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %up = heddle.weight_ref @w : tensor<32x64xbf16>
  %down = heddle.weight_ref @down : tensor<64x32xbf16>
  %y = heddle.feed_forward relu %x, %up, %down : tensor<?x64xf32>, tensor<32x64xbf16>, tensor<64x32xbf16>
  return %y : tensor<?x64xf32>
}

// Activations that are multiplied with each other stay as they are.
// CHECK-LABEL: func.func @activations
// CHECK: heddle.cast %{{.*}} : tensor<64x8xbf16> -> tensor<64x8xf32>
// CHECK-NOT: heddle.cast
// CHECK: heddle.matmul
func.func @activations(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}, %y: tensor<64x8xbf16>) -> tensor<?x8xf32> {
  %f = heddle.cast %y : tensor<64x8xbf16> -> tensor<64x8xf32>
  %z = heddle.matmul %x, %f : tensor<?x64xf32>, tensor<64x8xf32> -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// Inputs without pairs stay as they are: an odd number of them, and those of few outputs.
// CHECK-LABEL: func.func @others
// CHECK-SAME: (%[[X:[^:]+]]: {{.*}}, %[[Y:[^:]+]]:
// CHECK-NOT: heddle.cast
// CHECK: heddle.linear %[[X]]
// CHECK: heddle.linear %[[Y]]
heddle.weight @odd from "odd" : tensor<32x63xbf16>
heddle.weight @few from "few" : tensor<8x64xbf16>
func.func @others(%x: tensor<?x63xf32> {heddle.sizes = ["n"]}, %y: tensor<?x64xf32> {heddle.sizes = ["n"]})
    -> (tensor<?x32xf32>, tensor<?x8xf32>) {
  %v = heddle.weight_ref @odd : tensor<32x63xbf16>
  %w = heddle.weight_ref @few : tensor<8x64xbf16>
  %a = heddle.linear %x, %v : tensor<?x63xf32>, tensor<32x63xbf16>
  %b = heddle.linear %y, %w : tensor<?x64xf32>, tensor<8x64xbf16>
  return %a, %b : tensor<?x32xf32>, tensor<?x8xf32>
}

// Experts, and what a mixture of them is made of.
// CHECK-LABEL: func.func @mixture
// CHECK: %[[R:.*]] = heddle.cast %{{.*}} : tensor<?x64xf32, {{.*}}> -> tensor<?x64xbf16
// CHECK: %[[D:.*]] = heddle.cast %[[R]]
// CHECK: heddle.expert_linear %[[D]]
// CHECK: heddle.expert_linear %[[D]]
// CHECK: heddle.cast %{{.*}} : tensor<?x2x32xf32, {{.*}}> -> tensor<?x2x32xbf16
// CHECK: heddle.expert_linear
heddle.weight @experts from "experts" : tensor<4x32x64xbf16>
heddle.weight @outputs from "outputs" : tensor<4x64x32xbf16>
heddle.weight @router from "router" : tensor<4x64xf32>
func.func @mixture(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %w = heddle.weight_ref @experts : tensor<4x32x64xbf16>
  %v = heddle.weight_ref @outputs : tensor<4x64x32xbf16>
  %r = heddle.weight_ref @router : tensor<4x64xf32>
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%w, %w, %v) top(2)
     : tensor<?x64xf32>, tensor<4x64xf32>, tensor<4x32x64xbf16>, tensor<4x32x64xbf16>, tensor<4x64x32xbf16>
  return %y : tensor<?x64xf32>
}
