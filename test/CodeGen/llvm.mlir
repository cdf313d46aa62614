// RUN: heddlec %s --target-cpu=x86-64-v4 --prefix=tiny --emit=llvm | FileCheck %s

// All names have the prefix; a kernel is private, an entry point and the model's
// description are not. Nothing of Halide's runtime or of a heap is left.
// CHECK: target triple = "x86_64-unknown-linux-gnu"
// CHECK: @tiny_model = {{.*}}constant
// CHECK: define internal {{.*}}i32 @tiny_forward_linear(
// CHECK: define internal {{.*}}i32 @[[TASK:tiny_forward_linear_task[0-9]+]](
// CHECK-COUNT-24: {{call|fmul}} {{.*}}<16 x float>
// CHECK: define i32 @tiny_forward(
// CHECK: call i32 @heddle_invoke(ptr {{.*}}@tiny_model,
// CHECK-NOT: declare {{.*}}@{{(halide_|malloc|free)}}

// The CPU is that of the command line, not one that Halide knows.
// CHECK: "target-cpu"="x86-64-v4"
// CHECK-NOT: "target-cpu"="{{(skylake|sapphirerapids)}}
heddle.weight @w from "w" : tensor<96x64xf32>
func.func @forward(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x?x96xf32>
}
