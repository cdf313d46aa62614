// f16 is converted by one instruction where the CPU has it, of a whole vector at a time, and else by
// arithmetic on its bits. EndToEnd/half-numbers.test compares all numbers.
// RUN: heddlec %s --emit=asm --quiet --target-cpu=x86-64-v3 | FileCheck %s
// RUN: heddlec %s --emit=asm --quiet --target-cpu=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: heddlec %s --emit=asm --quiet --target-cpu=x86-64-v3,-f16c | FileCheck %s --check-prefix=BITS
// CHECK: vcvtph2ps {{.*}}(%{{.*}}), %ymm
// CHECK: vcvtps2ph $4, %ymm
// WIDE: vcvtph2ps {{.*}}(%{{.*}}), %zmm
// WIDE: vcvtps2ph $4, %zmm
// BITS-NOT: vcvtph2ps
// BITS-NOT: vcvtps2ph

func.func @doubled(%x: tensor<4096xf16>) -> tensor<4096xf16> {
  %y = arith.addf %x, %x : tensor<4096xf16>
  return %y : tensor<4096xf16>
}
