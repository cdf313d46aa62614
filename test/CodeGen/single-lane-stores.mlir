// A row of five elements is a vector of four and a store of one lane. LLVM 22 makes that a store
// of the eight bytes of an i64, where one byte of an i8 is meant.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=llvm -o - | FileCheck %s
// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=ASM

// CHECK-LABEL: define {{.*}}_cast(
// CHECK: store <4 x i8>
// CHECK-NOT: masked.store
// CHECK: store i8
// CHECK-NOT: masked.store

// ASM-LABEL: _cast:
// ASM: vpmovqb
// ASM-NOT: movq {{.*}}, {{.*}}(
// ASM: movb
func.func @cast(%x: tensor<16x5xi64>) -> tensor<16x5xi8> {
  %y = heddle.cast %x : tensor<16x5xi64> -> tensor<16x5xi8>
  return %y : tensor<16x5xi8>
}
