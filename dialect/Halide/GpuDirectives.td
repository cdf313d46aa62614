// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Directives about the loops of a stage that make them blocks and threads of a GPU.

class Halide_GpuLoopsDirective<string mnemonic>
    : Halide_StageDirective<mnemonic, (ins StrArrayAttr:$vars), "$vars"> {
  let hasVerifier = 1;
}

def Halide_GpuBlocksOp : Halide_GpuLoopsDirective<"gpu_blocks"> {
  let summary = "the loops' iterations are blocks of a GPU, x first";
  let description = [{
    ```
    for y      ->  gpu_block y
      for x          gpu_block x
    ```

    ```mlir
    halide.gpu_blocks @y ["x", "y"]
    ```

    Constraints:
    * (C1) there are one to three loops, which are distinct.
  }];
}

def Halide_GpuThreadsOp : Halide_GpuLoopsDirective<"gpu_threads"> {
  let summary = "the loops' iterations are threads of a block of a GPU, x first";
  let description = [{
    ```
    for y      ->  gpu_thread y
      for x          gpu_thread x
    ```

    ```mlir
    halide.gpu_threads @y ["x", "y"]
    ```

    Constraints:
    * (C1) there are one to three loops, which are distinct.
  }];
}

def Halide_GpuSingleThreadOp
    : Halide_StageDirective<"gpu_single_thread", (ins), ""> {
  let summary = "the stage runs on a GPU as one block of one thread";
  let description = [{
    ```mlir
    halide.gpu_single_thread @total
    ```
  }];
}

def Halide_GpuTileOp : Halide_StageDirective<"gpu_tile",
    (ins StrArrayAttr:$vars, StrArrayAttr:$blocks, StrArrayAttr:$threads,
     DenseI64ArrayAttr:$sizes,
     DefaultValuedAttr<Halide_TailAttr, "Tail::Auto">:$tail),
    "$vars `into` ` ` `(` $blocks `,` $threads `)` `by` $sizes (`tail` `(` custom<Keyword>($tail)^ `)`)?"> {
  let summary = "halide.tile whose outer loops are blocks, its inner ones threads";
  let description = [{
    ```
    for x in [0, n)  ->  gpu_block bx in [0, n / 32)
                           gpu_thread tx in [0, 32)
    ```

    ```mlir
    halide.gpu_tile @y ["x"] into (["bx"], ["tx"]) by [32]
    ```

    Constraints:
    * (C1) there are one to three loops.
    * (C2) there is a block loop, a thread loop and a positive size for each of them.
    * (C3) new loops have distinct names.
  }];
  let hasVerifier = 1;
}
