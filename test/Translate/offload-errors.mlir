// What a kernel of a device needs and its host does not have (Translate/OffloadKernels.cpp), with
// schedules that compute it elsewhere.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --quiet --target=opencl --emit=schedule -o own.mlir

// RUN: grep -v 'compute_at @blocks_before' own.mlir > inlined.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=inlined.mlir --emit=device -o inlined.cl 2>&1 | FileCheck %s --check-prefix=INLINED
// INLINED: error: 'halide.pipeline' op cannot be done by blocks of threads: 'blocks_before' is computed outside of the blocks that need it, where kernels have no memory

// RUN: sed 's/store_in @end_key register/store_in @end_key gpu_shared/' own.mlir > shared.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=shared.mlir --emit=device -o shared.cl 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: 'halide.pipeline' op cannot be done by blocks of threads: 'end_key' is computed outside of the blocks that need it, where kernels have no memory

func.func @f(%q: tensor<2x40x64xf32>) -> tensor<2x40x64xf32> {
  %m = heddle.mask.causal align(top_left)
  %y = heddle.attention %q, %q, %q mask(%m) heads(1, kv = 1)
     : tensor<2x40x64xf32>, tensor<2x40x64xf32>, tensor<2x40x64xf32>
  return %y : tensor<2x40x64xf32>
}
