// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @decoder_layer
func.func @decoder_layer(%x: tensor<?x?x64xf32>, %memory: tensor<?x?x48xf32>, %m: !heddle.mask)
    -> tensor<?x?x64xf32> {
  // CHECK: heddle.decoder_layer %{{.*}}, %{{.*}} from("decoder.layers.0") mask(%{{.*}}) memory_mask(%{{.*}}) heads(4)
  // CHECK-SAME: norm(post) activation(relu) epsilon(1.000000e-05) : tensor<?x?x64xf32>, tensor<?x?x48xf32>
  %0 = heddle.decoder_layer %x, %memory from("decoder.layers.0") mask(%m) memory_mask(%m) heads(4)
       norm(post) activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<?x?x48xf32>
  // CHECK: heddle.decoder_layer %{{.*}}, %{{.*}} from("decoder.layers.1") memory_mask(%{{.*}}) heads(4, kv = 1)
  // CHECK-SAME: norm(pre, layer) activation(silu) epsilon(1.000000e-05)
  %1 = heddle.decoder_layer %0, %memory from("decoder.layers.1") memory_mask(%m) heads(4, kv = 1)
       norm(pre, layer) activation(silu) epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<?x?x48xf32>
  return %1 : tensor<?x?x64xf32>
}
