// What kernels are configured with for a device, and what replaces that.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target=opencl --emit=kernels | FileCheck %s
// RUN: heddlec %s --target=cuda:sm_90 --emit=kernels | FileCheck %s

// CHECK: heddle.target = #heddle.target<{{.*}}device = "{{opencl|cuda:sm_90}}">
// CHECK-DAG: heddle.configuration = #heddle.block_attention<threads = 128, rows = 16, chunk = 2>
// CHECK-DAG: heddle.configuration = #heddle.block_rows<threads = 128, lanes = 32>
func.func @f(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %s = heddle.softmax %x axis(1) : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}
func.func @g(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %y = heddle.attention %q, %q, %q heads(2, kv = 2) scale(0.25) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// RUN: echo 'heddle.configure @g_attention #heddle.block_attention<threads = 64, rows = 8, chunk = 1>' > other.mlir
// RUN: heddlec %s --target=opencl --schedule=other.mlir --emit=kernels | FileCheck %s --check-prefix=OTHER
// OTHER: heddle.configuration = #heddle.block_attention<threads = 64, rows = 8, chunk = 1>


// RUN: echo 'heddle.configure @g_attention #heddle.block_attention<threads = 64, rows = 1000000, chunk = 1>' > many.mlir
// RUN: not heddlec %s --target=opencl --schedule=many.mlir -o many.o 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: many.mlir:1:1: error: 'heddle.configure' op expected rows that need at most 163840 bytes of memory that a block shares, found 1000000 of {{[0-9]+}}
// RUN: echo 'heddle.configure @g_attention #heddle.row_tiles<task = 4096, strip = 512, vector = 8>' > cpu.mlir
// RUN: not heddlec %s --target=opencl --schedule=cpu.mlir -o cpu.o 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: cpu.mlir:1:1: error: 'heddle.configure' op expected a configuration like that of the kernel, #heddle.block_attention<{{.*}}>, found #heddle.row_tiles<
