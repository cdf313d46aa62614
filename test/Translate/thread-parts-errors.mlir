// Registers that the threads of a block have parts of (Translate/MapThreads.cpp), with
// schedules that do not give each thread the same part everywhere.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --quiet --target=opencl --emit=schedule -o own.mlir
// RUN: heddlec %s --quiet --target=opencl --schedule=own.mlir --emit=device -o own.cl

// RUN: sed 's/@tile_sum "d0" into ("thread_row", "row") by 4/@tile_sum "d0" into ("thread_row", "row") by 8/' own.mlir > other.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=other.mlir --emit=device -o other.cl 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'halide.pipeline' op cannot be done by blocks of threads: 'tile_sum' is in registers, of which each thread has a part, and not all loops over threads give a thread the same one

// RUN: grep -v 'gpu_threads @tile_sum \[' own.mlir > outside.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=outside.mlir --emit=device -o outside.cl 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: 'tile_sum' is in registers, of which each thread has a part, and it is read or written outside of loops over threads

// RUN: sed 's/"row") by 4/"row") by 2/' own.mlir > more.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=more.mlir --emit=device -o more.cl 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: 'tile_sum' is in registers, of which each thread has a part, and the loops over threads have more steps than there are threads

// RUN: grep -v 'unroll @tile_sum "row"' own.mlir > rolled.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=rolled.mlir --emit=device -o rolled.cl 2>&1 | FileCheck %s --check-prefix=ROLLED
// ROLLED: 'tile_sum' is in registers, of which each thread has a part, and loops over the elements of one are not unrolled

// RUN: sed 's/unroll @tile_sum "lane"/vectorize @tile_sum "lane"/' own.mlir > vectors.mlir
// RUN: not heddlec %s --quiet --target=opencl --schedule=vectors.mlir --emit=device -o vectors.cl 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: vectors.mlir:{{[0-9]+}}:5: error: 'halide.vectorize' op a thread of a device has no vectors; halide.unroll lets it do as much

func.func @f(%a: tensor<64x24xf32>, %b: tensor<24x64xf32>) -> tensor<64x64xf32> {
  %y = heddle.matmul %a, %b : tensor<64x24xf32>, tensor<24x64xf32> -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
