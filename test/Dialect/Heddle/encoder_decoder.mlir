// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @encoder_decoder
func.func @encoder_decoder(%s: tensor<?x?x64xf32>, %t: tensor<?x?x64xf32>, %m: !heddle.mask)
    -> (tensor<?x?x64xf32>, tensor<?x?x100xf32>) {
  // CHECK: heddle.encoder_decoder %{{[a-z0-9]+}}, %{{[a-z0-9]+}} from("") layers(6, 3) heads(4) norm(post)
  // CHECK-SAME: activation(relu) epsilon(1.000000e-05) : tensor<?x?x64xf32>, tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  %0 = heddle.encoder_decoder %s, %t from("") layers(6, 3) heads(4) norm(post)
       activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  // CHECK: heddle.encoder_decoder %{{[a-z0-9]+}}, %{{[a-z0-9]+}} from("transformer") layers(6, 6) source_mask(%{{[a-z0-9]+}})
  // CHECK-SAME: target_mask(%{{[a-z0-9]+}}) memory_mask(%{{[a-z0-9]+}}) projection("generator") softmax heads(4, kv = 2) norm(pre, rms)
  // CHECK-SAME: -> tensor<?x?x100xf32>
  %1 = heddle.encoder_decoder %s, %t from("transformer") layers(6, 6) source_mask(%m) target_mask(%m)
       memory_mask(%m) projection("generator") softmax heads(4, kv = 2) norm(pre, rms) activation(silu)
       epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<?x?x64xf32> -> tensor<?x?x100xf32>
  return %0, %1 : tensor<?x?x64xf32>, tensor<?x?x100xf32>
}

// CHECK-LABEL: func.func @scores
func.func @scores(%x: tensor<?x?x64xf32>, %b: tensor<?x4x?x?xf32>) {
  // CHECK: source_score(%{{[a-z0-9]+}} : tensor<?x4x?x?xf32>) {
  // CHECK: target_score {
  // CHECK: memory_score(%{{[a-z0-9]+}} : tensor<?x4x?x?xf32>) {
  %0 = heddle.encoder_decoder %x, %x from("") layers(1, 1) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
       source_score(%b : tensor<?x4x?x?xf32>) {
       ^bb0(%s: tensor<?x4x?x?xf32>, %c: tensor<?x4x?x?xf32>):
         %t = arith.addf %s, %c : tensor<?x4x?x?xf32>
         heddle.yield %t : tensor<?x4x?x?xf32>
       }
       target_score {
       ^bb0(%s: tensor<?x4x?x?xf32>):
         %t = arith.addf %s, %s : tensor<?x4x?x?xf32>
         heddle.yield %t : tensor<?x4x?x?xf32>
       }
       memory_score(%b : tensor<?x4x?x?xf32>) {
       ^bb0(%s: tensor<?x4x?x?xf32>, %c: tensor<?x4x?x?xf32>):
         %t = arith.addf %s, %c : tensor<?x4x?x?xf32>
         heddle.yield %t : tensor<?x4x?x?xf32>
       } : tensor<?x?x64xf32>, tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  return
}
