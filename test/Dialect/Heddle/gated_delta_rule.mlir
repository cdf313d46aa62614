// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @gated_delta_rule
func.func @gated_delta_rule(%q: tensor<?x4x?x16xf32>, %v: tensor<?x4x?x24xf32>, %b: tensor<?x4x?xf32>,
    %s: tensor<?x4x16x24xf32>) -> (tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>) {
  // CHECK: heddle.gated_delta_rule %{{.*}}, %{{.*}}, %{{.*}} strengths(%{{.*}}) : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>, tensor<?x4x?xf32> -> tensor<?x4x?x24xf32>{{$}}
  %0 = heddle.gated_delta_rule %q, %q, %v strengths(%b)
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>, tensor<?x4x?xf32> -> tensor<?x4x?x24xf32>
  // CHECK: %{{.*}}, %{{.*}} = heddle.gated_delta_rule %{{.*}} gates(%{{.*}} : tensor<?x4x?xf32>) state(%{{.*}} : tensor<?x4x16x24xf32>) chunk(32)
  %1, %t = heddle.gated_delta_rule %q, %q, %0 strengths(%b) gates(%b : tensor<?x4x?xf32>)
       state(%s : tensor<?x4x16x24xf32>) chunk(32)
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32>, tensor<?x4x?xf32>
     -> tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
  return %1, %t : tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
}
