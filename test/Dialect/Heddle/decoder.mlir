// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @decoder
func.func @decoder(%x: tensor<?x?x64xf32>, %memory: tensor<?x?x64xf32>, %m: !heddle.mask) -> tensor<?x?x64xf32> {
  // CHECK: heddle.decoder %{{.*}}, %{{.*}} from("decoder") layers(6) mask(%{{.*}}) memory_mask(%{{.*}}) heads(4)
  // CHECK-SAME: norm(pre, rms) activation(relu) epsilon(1.000000e-05) : tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %0 = heddle.decoder %x, %memory from("decoder") layers(6) mask(%m) memory_mask(%m) heads(4) norm(pre, rms)
       activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}
