// RUN: heddle-opt %s --heddle-materialize-tables | FileCheck %s

// Queries and keys differ in heads, not in the size of a head: one table serves both.
// CHECK-LABEL: func.func @shared
func.func @shared(%q: tensor<?x?x64xf32>, %k: tensor<?x?x32xf32>, %starts: tensor<?xi32>)
    -> (tensor<?x?x64xf32>, tensor<?x?x32xf32>) {
  // CHECK: %[[TABLE:.*]] = heddle.rotary_table dimension(8) positions(512) base(1.000000e+04) : tensor<258x2x4xf32>
  // CHECK-NOT: heddle.rotary_table
  // CHECK: heddle.rotary %{{.*}} heads(8) {{.*}} table(%[[TABLE]] : tensor<258x2x4xf32>)
  %0 = heddle.rotary %q at(%starts) heads(8) positions(512) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: heddle.rotary %{{.*}} heads(4) {{.*}} table(%[[TABLE]] : tensor<258x2x4xf32>)
  %1 = heddle.rotary %k at(%starts) heads(4) positions(512) base(10000.0)
     : tensor<?x?x32xf32>, tensor<?xi32>
  return %0, %1 : tensor<?x?x64xf32>, tensor<?x?x32xf32>
}

// CHECK-LABEL: func.func @distinct
func.func @distinct(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // CHECK-DAG: %[[PLAIN:.*]] = heddle.rotary_table dimension(8) positions(512) base(1.000000e+04) :
  // CHECK-DAG: %[[BASE:.*]] = heddle.rotary_table dimension(8) positions(512) base(5.000000e+05) :
  // CHECK-DAG: %[[LONG:.*]] = heddle.rotary_table dimension(8) positions(1024) base(1.000000e+04) : tensor<260x2x4xf32>
  // CHECK-DAG: %[[WIDE:.*]] = heddle.rotary_table dimension(16) positions(512) base(1.000000e+04) : tensor<258x2x8xf32>
  // CHECK-DAG: %[[SCALED:.*]] = heddle.rotary_table dimension(8) positions(512) base(1.000000e+04) scaling(<linear, factor = 2.000000e+00>)
  // CHECK: table(%[[PLAIN]] :
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: table(%[[BASE]] :
  %1 = heddle.rotary %x at(%starts) heads(8) positions(512) base(500000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: table(%[[LONG]] :
  %2 = heddle.rotary %x at(%starts) heads(8) positions(1024) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: table(%[[WIDE]] :
  %3 = heddle.rotary %x at(%starts) heads(4) positions(512) base(10000.0)
     : tensor<?x?x64xf32>, tensor<?xi32>
  // CHECK: table(%[[SCALED]] :
  %4 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
       scaling(<linear, factor = 2.0>) : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @already_there
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<258x2x4xf32>
func.func @already_there(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>,
    %table: tensor<258x2x4xf32>) {
  // CHECK-NOT: heddle.rotary_table
  // CHECK: table(%[[TABLE]] :
  %0 = heddle.rotary %x at(%starts) heads(8) positions(512) base(10000.0)
       table(%table : tensor<258x2x4xf32>) : tensor<?x?x64xf32>, tensor<?xi32>
  return
}
