// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=stmt -o %t
// RUN: FileCheck %s < %t
// Every buffer inside has a constant size, and no bounds are left open.
// RUN: not grep explicit_bounds %t
// RUN: grep "allocate " %t | not grep -vE "\[(float|int)32( \* [0-9]+)+\]( in (Register|Stack)( if .*)?)?$"

// One task: CodeGen makes the loop over the tiles of queries of all heads and sequences.
// CHECK: func forward_attention (__user_context, {{.*}}, task, arg0
// CHECK-NOT: halide_do_par_for(
// CHECK: allocate query_tile[float32 * 96] in Register
// CHECK: allocate scores[int32 * 
// CHECK: allocate score_group[float32 * 384] in Register
// CHECK: produce value_sum
func.func @forward(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x64xf32> {
  %key, %value = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %y = heddle.attention %q, %key, %value mask(%causal) heads(8, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x?x64xf32>
}
