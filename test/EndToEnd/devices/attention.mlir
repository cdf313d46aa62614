// Attention and caches on a device: masks, results, and calls that go on with a cache.
// REQUIRES: opencl
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %S/../kernels/attention-results.mlir --target=opencl --verify -o a.o | FileCheck %s --check-prefix=RESULTS
// RESULTS-COUNT-3: verified {{[a-z_]+}} as a whole: worst error
// RUN: heddlec %S/../kernels/attention-mask-kinds.mlir --target=opencl --verify -o a.o | FileCheck %s --check-prefix=MASKS
// MASKS: verified {{[a-z_]+}} as a whole: worst error
// RUN: heddlec %S/../kernels/cache-causal.mlir --target=opencl --verify -o a.o | FileCheck %s --check-prefix=CACHE
// CACHE: verified {{[a-z_]+}} as a whole: worst error
