// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @encoder
func.func @encoder(%x: tensor<?x?x64xf32>, %m: !heddle.mask) -> tensor<?x?x64xf32> {
  // CHECK: heddle.encoder %{{.*}} from("encoder") layers(6) mask(%{{.*}}) heads(4) norm(post)
  // CHECK-SAME: activation(relu) epsilon(1.000000e-05) : tensor<?x?x64xf32>
  %0 = heddle.encoder %x from("encoder") layers(6) mask(%m) heads(4) norm(post)
       activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}
