// Kernels as PTX, which ptxas takes where there is one.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target=cuda:sm_90 --emit=device -o sm_90.ptx
// RUN: FileCheck %s < sm_90.ptx
// RUN: %if ptxas %{ bash %S/Inputs/assemble.sh sm_90.ptx sm_90 %}
// RUN: heddlec %s --target=cuda --emit=device | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: .target sm_80

// Elements are side by side; the last block may have less than there are threads.
// CHECK: .target sm_90
// CHECK: .visible .entry k_halves_mulf_0(
// CHECK: .maxntid 128
// CHECK: ctaid.x
// CHECK: tid.x
// CHECK: setp
// CHECK: ld.global{{.*}}.b16
// CHECK: cvt.f32.f16
// CHECK: mul.{{(rn.)?}}f32
// CHECK: cvt.rn.f16.f32
// CHECK: st.global.b16
func.func @halves(%x: tensor<?x64xf16> {heddle.sizes = ["n"]}) -> tensor<?x64xf16> {
  %y = arith.mulf %x, %x : tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// CHECK: .visible .entry k_bfloats_mulf
// CHECK: st.global.b16
func.func @bfloats(%x: tensor<?x64xbf16> {heddle.sizes = ["n"]}) -> tensor<?x64xbf16> {
  %y = arith.mulf %x, %x : tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// A row is one block's, whose threads share partial sums and wait for each other.
// CHECK: .extern .shared .align 64 .b8 heddle_shared_memory[]
// CHECK: .visible .entry k_softmax_softmax
// CHECK: st.shared{{.*}}b32
// CHECK: barrier.sync 0
// CHECK: ld.shared
func.func @softmax(%x: tensor<?x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?xf32> {
  %s = heddle.softmax %x axis(1) : tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// RUN: not heddlec %s --target=cuda:sm_70 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: --target: LLVM knows no device of CUDA named 'sm_70' (try sm_80, sm_90; older ones than sm_80 lack instructions that kernels need)
// RUN: not heddlec %s --target=cuda:sm_9x 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --target: LLVM knows no device of CUDA named 'sm_9x'
// RUN: not heddlec %s --target=cuda: 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: --target: expected cpu, opencl, cuda or cuda:sm_80 and the like, found 'cuda:'
// RUN: not heddlec %s --emit=device 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: --emit=device: expected --target=opencl or cuda, found cpu
