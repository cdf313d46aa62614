// The loops of products ask for the lines of weights that they read 2 KiB later, each line once;
// other loops ask for none.

// RUN: heddlec %s --target-cpu=x86-64-v4 --quiet --emit=llvm -o - | FileCheck %s
// RUN: heddlec %s --target-cpu=x86-64-v4 --quiet --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: heddlec %s --target-cpu=x86-64-v3 --quiet --emit=asm -o - | FileCheck %s --check-prefix=ASM

heddle.weight @deep = dense<0.5> : tensor<768x256xbf16>
heddle.weight @shallow = dense<0.5> : tensor<768x64xbf16>

// A step of the depth has 128 bytes of the panel: four loads of two lines. The row's four places
// are 8 KiB apart.
// CHECK-LABEL: define {{.*}}_far_linear_task0(
// CHECK: %[[FIRST:.*]] = getelementptr {{.*}}, i64 2048
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr %[[FIRST]], i32 0, i32 3, i32 1)
// CHECK-NEXT: load <16 x i16>
// CHECK-NOT: prefetch
// CHECK: load <16 x i16>
// CHECK: %[[SECOND:.*]] = getelementptr {{.*}}, i64 2048
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr %[[SECOND]], i32 0, i32 3, i32 1)
// CHECK-NEXT: load <16 x i16>
// CHECK-NOT: prefetch
// CHECK: load <16 x i16>

// ASM-LABEL: _far_linear_task0:
// ASM: prefetcht0
func.func @far(%x: tensor<1x256xf32>) -> tensor<1x768xf32> {
  %w = heddle.weight_ref @deep : tensor<768x256xbf16>
  %wide = heddle.cast %w : tensor<768x256xbf16> -> tensor<768x256xf32>
  %y = heddle.linear %x, %wide : tensor<1x256xf32>, tensor<768x256xf32>
  return %y : tensor<1x768xf32>
}

// These are 2 KiB apart: what comes 2 KiB later in one of them is read now in the next.
// CHECK-LABEL: define {{.*}}_near_linear(
// CHECK: %[[BEHIND:.*]] = getelementptr {{.*}}, i64 8192
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr %[[BEHIND]],
func.func @near(%x: tensor<1x64xf32>) -> tensor<1x768xf32> {
  %w = heddle.weight_ref @shallow : tensor<768x64xbf16>
  %wide = heddle.cast %w : tensor<768x64xbf16> -> tensor<768x64xf32>
  %y = heddle.linear %x, %wide : tensor<1x64xf32>, tensor<768x64xf32>
  return %y : tensor<1x768xf32>
}

// A normalisation reads rows that another kernel has just written.
// CHECK-LABEL: define {{.*}}_rows_layer_norm{{[0-9]*}}(
// CHECK-NOT: call void @llvm.prefetch
// CHECK: define
func.func @rows(%x: tensor<4x768xf32>, %w: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<4x768xf32> {
  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5) : tensor<4x768xf32>, tensor<768xf32>, tensor<768xf32>
  return %y : tensor<4x768xf32>
}
