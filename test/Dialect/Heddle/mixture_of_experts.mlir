// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @mixture_of_experts
func.func @mixture_of_experts(%x: tensor<?x64xf32>, %r: tensor<8x64xf32>, %g: tensor<8x172x64xf32>,
    %d: tensor<8x64x172xbf16>, %sg: tensor<96x64xf32>, %sd: tensor<64x96xf32>) -> tensor<?x64xf32> {
  // CHECK: heddle.mixture_of_experts silu %{{.*}} router(%{{.*}}) experts(%{{.*}}, %{{.*}}, %{{.*}}) top(2) normalized : tensor<?x64xf32>, tensor<8x64xf32>, tensor<8x172x64xf32>, tensor<8x172x64xf32>, tensor<8x64x172xbf16>
  %0 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d) top(2) normalized
     : tensor<?x64xf32>, tensor<8x64xf32>, tensor<8x172x64xf32>, tensor<8x172x64xf32>, tensor<8x64x172xbf16>
  // CHECK: shared(%{{.*}}, %{{.*}}, %{{.*}} : tensor<96x64xf32>, tensor<96x64xf32>, tensor<64x96xf32>) top(1) :
  %1 = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d)
       shared(%sg, %sg, %sd : tensor<96x64xf32>, tensor<96x64xf32>, tensor<64x96xf32>) top(1)
     : tensor<?x64xf32>, tensor<8x64xf32>, tensor<8x172x64xf32>, tensor<8x172x64xf32>, tensor<8x64x172xbf16>
  return %1 : tensor<?x64xf32>
}
