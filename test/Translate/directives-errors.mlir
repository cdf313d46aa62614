// What directives say that a pipeline cannot be scheduled with.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: not heddlec model.mlir --schedule=gpu_blocks.mlir --emit=stmt -o - 2>&1 | FileCheck gpu_blocks.mlir
// RUN: not heddlec model.mlir --schedule=gpu_threads.mlir --emit=stmt -o - 2>&1 | FileCheck gpu_threads.mlir
// RUN: not heddlec model.mlir --schedule=gpu_tile.mlir --emit=stmt -o - 2>&1 | FileCheck gpu_tile.mlir
// RUN: not heddlec model.mlir --schedule=gpu_single_thread.mlir --emit=stmt -o - 2>&1 | FileCheck gpu_single_thread.mlir
// RUN: not heddlec model.mlir --schedule=size.mlir --emit=stmt -o - 2>&1 | FileCheck size.mlir
// RUN: not heddlec model.mlir --schedule=update.mlir --emit=stmt -o - 2>&1 | FileCheck update.mlir
// RUN: not heddlec model.mlir --schedule=gone.mlir --emit=stmt -o - 2>&1 | FileCheck gone.mlir
// RUN: not heddlec model.mlir --schedule=specialized.mlir --emit=stmt -o - 2>&1 | FileCheck specialized.mlir
// RUN: not heddlec model.mlir --schedule=stage.mlir --emit=stmt -o - 2>&1 | FileCheck stage.mlir
// RUN: not heddlec model.mlir --schedule=dimension.mlir --emit=stmt -o - 2>&1 | FileCheck dimension.mlir
// RUN: not heddlec model.mlir --schedule=rejected.mlir --emit=stmt -o - 2>&1 | FileCheck rejected.mlir

//--- model.mlir
heddle.weight @w from "w" : tensor<96x64xf32>
func.func @f(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x96xf32> {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x?x96xf32>
}

//--- gpu_blocks.mlir
halide.schedule @f_linear {
  // CHECK: gpu_blocks.mlir:3:3: error: 'halide.gpu_blocks' op needs a GPU, but the pipeline is compiled for a CPU
  halide.gpu_blocks @result ["d0"]
}

//--- gpu_threads.mlir
halide.schedule @f_linear {
  // CHECK: gpu_threads.mlir:3:3: error: 'halide.gpu_threads' op needs a GPU, but the pipeline is compiled for a CPU
  halide.gpu_threads @result ["d0"]
}

//--- gpu_tile.mlir
halide.schedule @f_linear {
  // CHECK: gpu_tile.mlir:3:3: error: 'halide.gpu_tile' op needs a GPU, but the pipeline is compiled for a CPU
  halide.gpu_tile @result ["d0"] into (["mb"], ["mt"]) by [8]
}

//--- gpu_single_thread.mlir
halide.schedule @f_linear {
  // CHECK: gpu_single_thread.mlir:3:3: error: 'halide.gpu_single_thread' op needs a GPU, but the pipeline is compiled for a CPU
  halide.gpu_single_thread @result
}

//--- size.mlir
halide.schedule @f_linear {
  // CHECK: size.mlir:3:3: error: 'halide.specialize' op no parameter is named 'length', found 'batch * length'
  halide.specialize @result "length" eq 1 {
  }
}

//--- update.mlir
halide.schedule @f_linear {
  // CHECK: update.mlir:3:3: error: 'halide.serial' op no update 0 of @result
  halide.serial @result update(0) "d0"
}

//--- gone.mlir
halide.schedule @f_linear {
  halide.split @result "d0" into ("mo", "mi") by 4
  // CHECK: gone.mlir:4:3: error: 'halide.parallel' op @result has no loop named 'd0'
  halide.parallel @result "d0"
}

//--- specialized.mlir
halide.schedule @f_linear {
  halide.specialize @result "batch * length" eq 1 {
    halide.rename @result "d0" to "row"
  }
  // CHECK: specialized.mlir:6:3: error: 'halide.parallel' op @result has no loop named 'row'
  halide.parallel @result "row"
}

//--- stage.mlir
halide.schedule @f_linear {
  // CHECK: stage.mlir:3:3: error: 'halide.compute_with' op no update 1 of @accumulator
  halide.compute_with @result @accumulator update(1) "d0"
}

//--- dimension.mlir
halide.schedule @f_linear {
  // CHECK: dimension.mlir:3:3: error: 'halide.align_storage' op @result has no dimension named 'column'
  halide.align_storage @result "column" 16
}

//--- rejected.mlir
halide.schedule @f_linear {
  // CHECK: rejected.mlir:3:3: error: 'halide.parallel' op was rejected by Halide: {{.*}}race condition
  halide.parallel @accumulator update(0) "r0"
}
