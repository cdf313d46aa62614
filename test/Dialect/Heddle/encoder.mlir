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

// CHECK-LABEL: func.func @cached
func.func @cached(%x: tensor<?x?x64xf32>, %m: !heddle.mask, %c0: !heddle.cache<6 x 4 x 16 x f32>,
    %n: tensor<?xi32>, %b: tensor<?x4x?x?xf32>) -> !heddle.cache<6 x 4 x 16 x f32> {
  // CHECK: %{{[a-z0-9]+}}, %{{[a-z0-9]+}} = heddle.encoder {{.*}} mask(%{{[a-z0-9]+}}) cache(%{{[a-z0-9]+}} : !heddle.cache<6 x 4 x 16 x f32>)
  // CHECK-SAME: at(%[[N:[a-z0-9]+]] : tensor<?xi32>) lengths(%[[N]] : tensor<?xi32>) heads(4)
  // CHECK-SAME: epsilon(1.000000e-05) score(%{{[a-z0-9]+}} : tensor<?x4x?x?xf32>) {
  %y, %c1 = heddle.encoder %x from("l") layers(6) mask(%m) cache(%c0 : !heddle.cache<6 x 4 x 16 x f32>)
       at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>) heads(4) norm(post) activation(relu) epsilon(1.0e-5)
       score(%b : tensor<?x4x?x?xf32>) {
       ^bb0(%s: tensor<?x4x?x?xf32>, %c: tensor<?x4x?x?xf32>):
         %t = arith.addf %s, %c : tensor<?x4x?x?xf32>
         heddle.yield %t : tensor<?x4x?x?xf32>
       } : tensor<?x?x64xf32>
  return %c1 : !heddle.cache<6 x 4 x 16 x f32>
}
