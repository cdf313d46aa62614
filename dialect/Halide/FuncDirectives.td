// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Directives about where and when a func is computed and kept. A func without
// any is computed where it is used (Halide's compute_inline).

class Halide_AtDirective<string mnemonic> : Halide_FuncDirective<mnemonic,
    (ins FlatSymbolRefAttr:$consumer, StrAttr:$var), "$consumer $var"> {
  let hasVerifier = 1;
}

def Halide_ComputeAtOp : Halide_AtDirective<"compute_at"> {
  let summary = "what an iteration of the consumer's loop needs is computed in it";
  let description = [{
    ```
    for y            ->  for y
      g[y] = f(y)          f[...] = ...
                           g[y] = f[...]
    ```

    ```mlir
    halide.compute_at @f @g "y"
    ```

    Constraints:
    * (C1) `consumer` is another func.
  }];
}

def Halide_StoreAtOp : Halide_AtDirective<"store_at"> {
  let summary = "storage lives as long as an iteration of the consumer's loop";
  let description = [{
    ```
    for y              ->  for y
      for x                  allocate f
        allocate f           for x
        f[...] = ...           f[...] = ...
        g[x, y] = f[...]       g[x, y] = f[...]
    ```

    ```mlir
    halide.store_at @f @g "y"
    ```

    Constraints:
    * (C1) `consumer` is another func.
  }];
}

def Halide_ComputeRootOp : Halide_FuncDirective<"compute_root", (ins), ""> {
  let summary = "computed in full before any consumer";
  let description = [{
    ```
    for y            ->  for y  f[y] = ...
      g[y] = f(y)        for y  g[y] = f[y]
    ```

    ```mlir
    halide.compute_root @f
    ```
  }];
}

def Halide_StoreRootOp : Halide_FuncDirective<"store_root", (ins), ""> {
  let summary = "storage lives as long as the call; halide.compute_at says more";
  let description = [{
    ```
    for y              ->  allocate f
      allocate f           for y
      f[...] = ...           f[...] = ...
      g[y] = f[...]          g[y] = f[...]
    ```

    ```mlir
    halide.store_root @f
    ```
  }];
}

def Halide_StoreInOp : Halide_FuncDirective<"store_in",
    (ins Halide_MemoryAttr:$memory), "custom<Keyword>($memory)"> {
  let summary = "where the values are kept";
  let description = [{
    ```
    allocate f[16]  ->  allocate f[16] in Register
    ```

    ```mlir
    halide.store_in @f register
    ```

    On a device each thread has a `stack` and registers of its own, and a block has
    memory that is `gpu_shared` by its threads.

    An `amx_tile` is for sums of products of bytes, or of pairs of bf16, over a tile of up to 16
    rows, on a CPU with such registers: they add up what loops over terms and rows would, if
    factors are read from memory as they are, beginning at 0 or at what is on the stack, and then
    go to the stack. Other loops, as those for one row, are as they stand.
  }];
}

def Halide_ReorderStorageOp : Halide_FuncDirective<"reorder_storage",
    (ins StrArrayAttr:$dims), "$dims"> {
  let summary = "dimensions in this order in memory, innermost first";
  let description = [{
    ```
    f[x + y * width]  ->  f[y + x * height]
    ```

    ```mlir
    halide.reorder_storage @f ["y", "x"]
    ```

    Constraints:
    * (C1) `dims` are at least two and distinct.
  }];
  let hasVerifier = 1;
}

def Halide_AlignStorageOp : Halide_FuncDirective<"align_storage",
    (ins StrAttr:$dim, Halide_Size:$alignment), "$dim $alignment"> {
  let summary = "the extent in memory is rounded up to a multiple of `alignment`";
  let description = [{
    ```
    allocate f[12 * 8]  ->  allocate f[16 * 8]   // "x" 16
    ```

    ```mlir
    halide.align_storage @f "x" 16
    ```
  }];
}

def Halide_BoundOp : Halide_FuncDirective<"bound",
    (ins StrAttr:$var, Halide_Int:$min, Halide_Size:$extent), "$var $min $extent"> {
  let summary = "a promise: the loop covers just [min, min + extent)";
  let description = [{
    ```
    for x in [f.min, f.max]  ->  for x in [0, 64)
    ```

    ```mlir
    halide.bound @f "x" 0 64
    ```
  }];
}

def Halide_BoundExtentOp : Halide_FuncDirective<"bound_extent",
    (ins StrAttr:$var, Halide_Size:$extent), "$var $extent"> {
  let summary = "a promise: the loop covers `extent` steps";
  let description = [{
    ```
    for x in [f.min, f.max]  ->  for x in [f.min, f.min + 64)
    ```

    ```mlir
    halide.bound_extent @f "x" 64
    ```
  }];
}

def Halide_AlignBoundsOp : Halide_FuncDirective<"align_bounds",
    (ins StrAttr:$var, Halide_Size:$modulus,
     DefaultValuedAttr<Halide_Int, "0">:$remainder),
    "$var $modulus (`,` $remainder^)?"> {
  let summary = "more is computed, so that the loop begins and ends at multiples";
  let description = [{
    The loop begins at `remainder` modulo `modulus`, and its extent is a multiple of
    `modulus`.

    ```
    for x in [min, max]  ->  for x in [min / 16 * 16, max / 16 * 16 + 15]
    ```

    ```mlir
    halide.align_bounds @f "x" 16
    halide.align_bounds @f "x" 16, 4
    ```

    Constraints:
    * (C1) `remainder` is at least 0 and below `modulus`.
  }];
  let hasVerifier = 1;
}
