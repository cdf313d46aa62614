// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @combined
func.func @combined(%x: tensor<?x?x64xf32>, %m: !heddle.mask, %w: tensor<192x64xf32>, %b: tensor<192xf32>,
    %wo: tensor<64x64xf32>, %bo: tensor<64xf32>) -> tensor<?x?x64xf32> {
  // CHECK: heddle.multi_head_attention %[[X:.*]], %[[X]], %[[X]] mask(%{{[a-z0-9#:]+}}) heads(8, kv = 8)
  // CHECK-SAME: combined(%{{[a-z0-9#:]+}}, %{{[a-z0-9#:]+}} : tensor<192x64xf32>, tensor<192xf32>)
  // CHECK-SAME: output(%{{[a-z0-9#:]+}}, %{{[a-z0-9#:]+}} : tensor<64x64xf32>, tensor<64xf32>) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %y = heddle.multi_head_attention %x, %x, %x mask(%m) heads(8, kv = 8)
       combined(%w, %b : tensor<192x64xf32>, tensor<192xf32>)
       output(%wo, %bo : tensor<64x64xf32>, tensor<64xf32>)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// Inputs of three widths, grouped heads, wide values and another width of the output.
// CHECK-LABEL: func.func @separate
func.func @separate(%x: tensor<2x?x64xf32>, %k: tensor<2x7x48xf32>, %v: tensor<2x7x40xf32>,
    %wq: tensor<128x64xbf16>, %wk: tensor<32x48xf32>, %bk: tensor<32xf32>, %wv: tensor<24x40xf32>,
    %wo: tensor<80x96xf32>, %n: tensor<16xf32>) -> (tensor<2x8x?x7xf32>, tensor<2x?x80xf32>) {
  // CHECK: %{{[a-z0-9#:]+}}:2 = heddle.multi_head_attention %{{[a-z0-9#:]+}}, %{{[a-z0-9#:]+}}, %{{[a-z0-9#:]+}} heads(8, kv = 2)
  // CHECK-SAME: query(%{{[a-z0-9#:]+}} : tensor<128x64xbf16>) key(%{{[a-z0-9#:]+}}, %{{[a-z0-9#:]+}} : tensor<32x48xf32>, tensor<32xf32>)
  // CHECK-SAME: value(%{{[a-z0-9#:]+}} : tensor<24x40xf32>) output(%{{[a-z0-9#:]+}} : tensor<80x96xf32>)
  // CHECK-SAME: norms(%[[N:[^,]*]], %[[N]] : tensor<16xf32>, tensor<16xf32>) epsilon(1.000000e-03) scale(2.500000e-01)
  // CHECK-SAME: results(weights, output) : tensor<2x?x64xf32>, tensor<2x7x48xf32>, tensor<2x7x40xf32>
  %p, %y = heddle.multi_head_attention %x, %k, %v heads(8, kv = 2)
       query(%wq : tensor<128x64xbf16>) key(%wk, %bk : tensor<32x48xf32>, tensor<32xf32>)
       value(%wv : tensor<24x40xf32>) output(%wo : tensor<80x96xf32>)
       norms(%n, %n : tensor<16xf32>, tensor<16xf32>) epsilon(1.0e-3) scale(0.25) results(weights, output)
     : tensor<2x?x64xf32>, tensor<2x7x48xf32>, tensor<2x7x40xf32>
  return %p, %y : tensor<2x8x?x7xf32>, tensor<2x?x80xf32>
}

// CHECK-LABEL: func.func @cached
func.func @cached(%x: tensor<?x?x64xf32>, %m: !heddle.mask, %c0: !heddle.cache<6 x 4 x 16 x f32>,
    %n: tensor<?xi32>, %b: tensor<?x4x?x?xf32>, %w: tensor<192x64xf32>, %wo: tensor<64x64xf32>)
    -> (tensor<?x4x?x?xf32>, !heddle.cache<6 x 4 x 16 x f32>) {
  // CHECK: %{{[a-z0-9#:]+}}:3 = heddle.multi_head_attention {{.*}} mask(%{{[a-z0-9]+}}) cache(%{{[a-z0-9]+}} : !heddle.cache<6 x 4 x 16 x f32>) layer(5)
  // CHECK-SAME: at(%[[N:[a-z0-9]+]] : tensor<?xi32>) lengths(%[[N]] : tensor<?xi32>) heads(4, kv = 4)
  // CHECK-SAME: results(output, weights) score(%{{[a-z0-9]+}} : tensor<?x4x?x?xf32>) {
  // CHECK: } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %y:3 = heddle.multi_head_attention %x, %x, %x mask(%m) cache(%c0 : !heddle.cache<6 x 4 x 16 x f32>) layer(5)
       at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>) heads(4, kv = 4) combined(%w : tensor<192x64xf32>) output(%wo : tensor<64x64xf32>)
       results(output, weights)
       score(%b : tensor<?x4x?x?xf32>) {
       ^bb0(%s: tensor<?x4x?x?xf32>, %c: tensor<?x4x?x?xf32>):
         %t = arith.addf %s, %c : tensor<?x4x?x?xf32>
         heddle.yield %t : tensor<?x4x?x?xf32>
       } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y#1, %y#2 : tensor<?x4x?x?xf32>, !heddle.cache<6 x 4 x 16 x f32>
}
