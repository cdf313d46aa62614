// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @linear_attention
func.func @linear_attention(%q: tensor<?x4x?x16xf32>, %v: tensor<?x4x?x24xf32>, %g: tensor<?x4x?xf32>,
    %s: tensor<?x4x16x24xf32>) -> (tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>) {
  // CHECK: heddle.linear_attention %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32> -> tensor<?x4x?x24xf32>{{$}}
  %0 = heddle.linear_attention %q, %q, %v
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32> -> tensor<?x4x?x24xf32>
  // CHECK: %{{.*}}, %{{.*}} = heddle.linear_attention %{{.*}} state(%{{.*}} : tensor<?x4x16x24xf32>) : {{.*}} -> tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
  %1, %t = heddle.linear_attention %q, %q, %0 state(%s : tensor<?x4x16x24xf32>) chunk(64)
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32> -> tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
  // CHECK: gates(%{{.*}} : tensor<?x4x?xf32>) state(%{{.*}} : tensor<?x4x16x24xf32>) chunk(32)
  %2, %u = heddle.linear_attention %q, %q, %1 gates(%g : tensor<?x4x?xf32>)
       state(%t : tensor<?x4x16x24xf32>) chunk(32)
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x24xf32> -> tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
  return %2, %u : tensor<?x4x?x24xf32>, tensor<?x4x16x24xf32>
}

// Two heads of values for each of keys, and a gate for each channel.
// CHECK-LABEL: func.func @channels
func.func @channels(%q: tensor<?x4x?x16xf32>, %v: tensor<?x8x?x24xf32>, %g: tensor<?x8x?x16xf32>) {
  // CHECK: heddle.linear_attention %{{.*}} gates(%{{.*}} : tensor<?x8x?x16xf32>) : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x8x?x24xf32> -> tensor<?x8x?x24xf32>
  %0 = heddle.linear_attention %q, %q, %v gates(%g : tensor<?x8x?x16xf32>)
     : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x8x?x24xf32> -> tensor<?x8x?x24xf32>
  return
}
