// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-split-phases | FileCheck %s

// CHECK-LABEL: func.func @prefill
// CHECK-SAME: (%{{.*}}: tensor<?x?xi32, #heddle.sizes<"batch", "length">>
// CHECK-SAME: -> (tensor<?x512xf32, #heddle.sizes<"batch">>, !heddle.cache<1 x 4 x 8 x f32, <"batch", "capacity">>)
// CHECK-NOT: heddle.decoder
// CHECK: heddle.embedding {{.*}} : tensor<?x?xi32, #heddle.sizes<"batch", "length">>
// CHECK: heddle.linear {{.*}} : tensor<?x?x64xf32, #heddle.sizes<"batch", "length">>, tensor<32x64xf32>

func.func @forward(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %table: tensor<512x64xf32>, %w: tensor<32x64xf32>)
    -> (tensor<?x512xf32>, !heddle.cache<1 x 4 x 8 x f32>) attributes {heddle.decoder = "length"} {
  %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xf32>
  %k = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xf32>
  %c = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
     : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
       tensor<?xi32>, tensor<?xi32>
  %kk, %vv = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %i = heddle.iota axis(1) sizes ["batch", "length"] : tensor<?x?xi32>
  %j = arith.addi %ids, %i : tensor<?x?xi32>
  %r = heddle.reshape %j to ["batch * length"] : tensor<?x?xi32> -> tensor<?xi32>
  %a = heddle.attention %x, %kk, %vv heads(8, kv = 4) scale(0.35) score {
       ^bb0(%s: tensor<?x8x?x?xf32>):
         %capped = heddle.softcap %s cap(50.0) : tensor<?x8x?x?xf32>
         heddle.yield %capped : tensor<?x8x?x?xf32>
     } : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = tensor.dim %ids, %c1 : tensor<?x?xi32>
  %b = scf.for %step = %c0 to %length step %c1 iter_args(%y = %a) -> (tensor<?x?x64xf32>) {
    %z = arith.negf %y : tensor<?x?x64xf32>
    scf.yield %z : tensor<?x?x64xf32>
  }
  %last = heddle.last_token %b, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %logits = heddle.linear %last, %table : tensor<?x64xf32>, tensor<512x64xf32>
  return %logits, %c : tensor<?x512xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

func.func @encoder(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]}) {
  return
}

// One token of each sequence, also where an op states sizes; what is read from the cache
// keeps its length.
// CHECK-LABEL: func.func @decode
// CHECK-SAME: (%{{.*}}: tensor<?x1xi32, #heddle.sizes<"batch">>
// CHECK-SAME: !heddle.cache<1 x 4 x 8 x f32, <"batch", "capacity">>
// CHECK-SAME: -> (tensor<?x512xf32, #heddle.sizes<"batch">>, !heddle.cache<1 x 4 x 8 x f32, <"batch", "capacity">>)
// CHECK-NOT: heddle.decoder
// CHECK: heddle.embedding {{.*}} : tensor<?x1xi32, #heddle.sizes<"batch">>
// CHECK: heddle.linear {{.*}} : tensor<?x1x64xf32, #heddle.sizes<"batch">>, tensor<32x64xf32>
// CHECK: heddle.iota axis(1) sizes ["batch", 1] : tensor<?x1xi32, #heddle.sizes<"batch">>
// CHECK: heddle.reshape {{.*}} to ["batch"] : {{.*}} -> tensor<?xi32, #heddle.sizes<"batch">>
// CHECK: heddle.attention
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x8x1x?xf32, #heddle.sizes<"batch", "capacity">>):
// CHECK-NEXT: heddle.softcap {{.*}} : tensor<?x8x1x?xf32, #heddle.sizes<"batch", "capacity">>
// CHECK: } : tensor<?x1x64xf32, #heddle.sizes<"batch">>, tensor<?x?x32xf32, #heddle.sizes<"batch", "capacity">>,
// CHECK: %[[LENGTH:.*]] = heddle.size 1 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LENGTH]] step
// CHECK: heddle.last_token {{.*}} : tensor<?x1x64xf32, #heddle.sizes<"batch">>

// Another function stays as it is, behind both phases.
// CHECK-LABEL: func.func @encoder
// CHECK-SAME: tensor<?x?xi32, #heddle.sizes<"batch", "length">>
