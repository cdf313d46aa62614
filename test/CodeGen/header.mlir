// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --prefix=tiny -o tiny.o
// RUN: FileCheck %s < tiny.h
// RUN: %cc -Wextra -I. -fsyntax-only -include tiny.h -x c /dev/null
// RUN: c++ -Wall -Wextra -Werror -I. -I%project/runtime -fsyntax-only -include tiny.h -x c++ /dev/null

// CHECK: extern const heddle_model tiny_model;
// CHECK: heddle_status tiny_forward(
// CHECK-NEXT: const heddle_context *context, const heddle_weights *weights,
// CHECK: int64_t batch,
// CHECK-NEXT: int64_t length,
// CHECK: void *workspace, size_t workspace_size);
// CHECK: tiny_forward_workspace_size(
func.func @forward(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x64xf32> {
  %key, %value = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %y = heddle.attention %q, %key, %value mask(%causal) heads(8, kv = 4) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x?x64xf32>
}
