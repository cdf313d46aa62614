// RUN: heddle-opt %s --heddle-widen-activations | FileCheck %s

heddle.weight @w = dense<1.0> : tensor<32x64xbf16>

// Weights are read as they are stored.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xbf16>
// CHECK: %[[W:.*]] = heddle.weight_ref @w : tensor<32x64xbf16>
// CHECK: %[[WIDE:.*]] = heddle.cast %[[X]] : tensor<?x64xbf16> -> tensor<?x64xf32>
// CHECK: %[[Y:.*]] = heddle.linear %[[WIDE]], %[[W]] : tensor<?x64xf32>, tensor<32x64xbf16>
// CHECK: %[[NARROW:.*]] = heddle.cast %[[Y]] : tensor<?x32xf32> -> tensor<?x32xbf16>
// CHECK: return %[[NARROW]]
func.func @linear(%x: tensor<?x64xbf16>) -> tensor<?x32xbf16> {
  %w = heddle.weight_ref @w : tensor<32x64xbf16>
  %y = heddle.linear %x, %w : tensor<?x64xbf16>, tensor<32x64xbf16>
  return %y : tensor<?x32xbf16>
}

// Of two activations one may be narrow; the result is as the hidden state.
// CHECK-LABEL: func.func @gru(
// CHECK: %[[H:.*]] = heddle.cast %{{.*}} : tensor<?x24xf16> -> tensor<?x24xf32>
// CHECK: %[[Y:.*]] = heddle.gru_cell %{{.*}}, %[[H]], {{.*}} : tensor<?x20xf32>, tensor<?x24xf32>
// CHECK: heddle.cast %[[Y]] : tensor<?x24xf32> -> tensor<?x24xf16>
func.func @gru(%x: tensor<?x20xf32>, %h: tensor<?x24xf16>, %w: tensor<72x20xf32>,
               %u: tensor<72x24xf32>) -> tensor<?x24xf16> {
  %y = heddle.gru_cell %x, %h, %w, %u
     : tensor<?x20xf32>, tensor<?x24xf16>, tensor<72x20xf32>, tensor<72x24xf32>
  return %y : tensor<?x24xf16>
}

// What regions take stays.
// CHECK-LABEL: func.func @layer(
// CHECK: %[[X:.*]] = heddle.cast %{{.*}} : tensor<2x5x16xbf16> -> tensor<2x5x16xf32>
// CHECK: %[[Y:.*]] = heddle.encoder_layer %[[X]] {{.*}}score(%{{.*}} : tensor<2x4x5x5xbf16>)
// CHECK: ^bb0(%{{.*}}: tensor<?x4x?x?xf32>, %{{.*}}: tensor<2x4x5x5xbf16>):
// CHECK: : tensor<2x5x16xf32>
// CHECK: heddle.cast %[[Y]]
func.func @layer(%x: tensor<2x5x16xbf16>, %b: tensor<2x4x5x5xbf16>) -> tensor<2x5x16xbf16> {
  %y = heddle.encoder_layer %x from("l") heads(4) norm(pre) activation(relu) epsilon(1.0e-5)
       score(%b : tensor<2x4x5x5xbf16>) {
       ^bb0(%s: tensor<?x4x?x?xf32>, %c: tensor<2x4x5x5xbf16>):
         heddle.yield %s : tensor<?x4x?x?xf32>
       } : tensor<2x5x16xbf16>
  return %y : tensor<2x5x16xbf16>
}

// CHECK-LABEL: func.func @same(
// CHECK-NOT: heddle.cast
func.func @same(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x64xbf16>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xbf16>
  return %y : tensor<?x32xf32>
}
