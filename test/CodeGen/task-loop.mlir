// RUN: heddlec %s --target-cpu=x86-64-v4 --prefix=tiny --emit=llvm | FileCheck %s

// The kernel hands what all tasks are called with to the parallel loop, which runs as many
// as there are tiles of 12 queries, heads and sequences: the last one of its sizes.
// CHECK: define internal i32 @tiny_forward_attention(ptr %0, i32 %1, i32 %2, i32 %3, i32 %[[COUNT:[0-9]+]], ptr
// CHECK: %[[CLOSURE:.*]] = alloca
// CHECK: call i32 @tiny_parallel_for(ptr %0, ptr nonnull @[[TASK:tiny_forward_attention_task[0-9]+]], i32 0, i32 %[[COUNT]], ptr nonnull %[[CLOSURE]])
// CHECK-NOT: @tiny_parallel_for(
// CHECK: define internal {{.*}} @[[TASK]](
// CHECK: define i32 @tiny_forward(
func.func @forward(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %y = heddle.attention %q, %q, %q heads(8, kv = 8) scale(0.25)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}
