// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @encoder_layer
func.func @encoder_layer(%x: tensor<?x?x64xf32>, %m: !heddle.mask) -> tensor<?x?x64xf32> {
  // CHECK: heddle.encoder_layer %{{[a-z0-9]+}} from("encoder.layers.0") mask(%{{[a-z0-9]+}}) heads(4) norm(post)
  // CHECK-SAME: activation(relu) epsilon(1.000000e-05) : tensor<?x?x64xf32>
  %0 = heddle.encoder_layer %x from("encoder.layers.0") mask(%m) heads(4) norm(post)
       activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>
  // CHECK: heddle.encoder_layer %{{[a-z0-9]+}} from("encoder.layers.1") heads(4, kv = 2) norm(sandwich, rms)
  // CHECK-SAME: activation(gelu_tanh) epsilon(1.000000e-03) : tensor<?x?x64xf32>
  %1 = heddle.encoder_layer %0 from("encoder.layers.1") heads(4, kv = 2) norm(sandwich, rms)
       activation(gelu_tanh) epsilon(1.0e-3) : tensor<?x?x64xf32>
  return %1 : tensor<?x?x64xf32>
}
