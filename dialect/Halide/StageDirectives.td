// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Directives about the loops of a stage.

def Halide_SplitOp : Halide_StageDirective<"split",
    (ins StrAttr:$old, StrAttr:$outer, StrAttr:$inner, Halide_Size:$factor,
     DefaultValuedAttr<Halide_TailAttr, "Tail::Auto">:$tail),
    "$old `into` ` ` `(` $outer `,` $inner `)` `by` $factor (`tail` `(` custom<Keyword>($tail)^ `)`)?"> {
  let summary = "one loop becomes two";
  let description = [{
    ```
    for x in [0, n)  ->  for xo in [0, n / factor)
                           for xi in [0, factor)     // x = xo * factor + xi
    ```

    ```mlir
    halide.split @y "x" into ("xo", "xi") by 16 tail(guard_with_if)
    ```

    Constraints:
    * (C1) `outer` and `inner` differ.
  }];
  let hasVerifier = 1;
}

def Halide_FuseOp : Halide_StageDirective<"fuse",
    (ins StrAttr:$inner, StrAttr:$outer, StrAttr:$fused),
    "` ` `(` $inner `,` $outer `)` `into` $fused"> {
  let summary = "two loops become one";
  let description = [{
    ```
    for y in [0, m)          ->  for t in [0, m * n)   // y = t / n, x = t mod n
      for x in [0, n)
    ```

    ```mlir
    halide.fuse @y ("x", "y") into "t"
    ```

    Constraints:
    * (C1) `inner` and `outer` differ.
  }];
  let hasVerifier = 1;
}

def Halide_TileOp : Halide_StageDirective<"tile",
    (ins StrArrayAttr:$previous, StrArrayAttr:$outers, StrArrayAttr:$inners,
     DenseI64ArrayAttr:$factors,
     DefaultValuedAttr<Halide_TailAttr, "Tail::Auto">:$tail),
    "$previous `into` ` ` `(` $outers `,` $inners `)` `by` $factors (`tail` `(` custom<Keyword>($tail)^ `)`)?"> {
  let summary = "each of several loops becomes two, and the inner ones come inside";
  let description = [{
    ```
    for y in [0, m)      ->  for yo in [0, m / 4)
      for x in [0, n)          for xo in [0, n / 8)
                                 for yi in [0, 4)
                                   for xi in [0, 8)
    ```

    ```mlir
    halide.tile @y ["x", "y"] into (["xo", "yo"], ["xi", "yi"]) by [8, 4]
    ```

    Constraints:
    * (C1) there is an outer loop, an inner loop and a positive factor for each of
      `previous`.
    * (C2) new loops have distinct names.
  }];
  let hasVerifier = 1;
}

def Halide_ReorderOp : Halide_StageDirective<"reorder", (ins StrArrayAttr:$vars),
    "$vars"> {
  let summary = "loops in this order, innermost first";
  let description = [{
    ```
    for y      ->  for x
      for x          for y
    ```

    ```mlir
    halide.reorder @y ["y", "x"]
    ```

    Constraints:
    * (C1) `vars` are distinct.
  }];
  let hasVerifier = 1;
}

def Halide_RenameOp : Halide_StageDirective<"rename",
    (ins StrAttr:$old_name, StrAttr:$new_name), "$old_name `to` $new_name"> {
  let summary = "the loop gets another name";
  let description = [{
    ```
    for x  ->  for column
    ```

    ```mlir
    halide.rename @y "x" to "column"
    ```

    Constraints:
    * (C1) the names differ.
  }];
  let hasVerifier = 1;
}

def Halide_SerialOp : Halide_StageDirective<"serial", (ins StrAttr:$var), "$var"> {
  let summary = "the loop's iterations run one after the other";
  let description = [{
    That is how every loop begins; it takes halide.parallel back in a
    halide.specialize.

    ```
    parallel for x  ->  for x
    ```

    ```mlir
    halide.serial @y "x"
    ```
  }];
}

def Halide_VectorizeOp : Halide_StageDirective<"vectorize",
    (ins StrAttr:$var, OptionalAttr<Halide_Size>:$factor,
     DefaultValuedAttr<Halide_TailAttr, "Tail::Auto">:$tail),
    "$var (`by` $factor^)? (`tail` `(` custom<Keyword>($tail)^ `)`)?"> {
  let summary = "the loop, or its first `factor` steps, becomes vector code";
  let description = [{
    ```
    for x in [0, n)  ->  for xo in [0, n / factor)  a[xo * factor .. + factor] = ...
      a[x] = ...
    ```

    ```mlir
    halide.vectorize @y "x" by 16
    ```
  }];
}

def Halide_UnrollOp : Halide_StageDirective<"unroll",
    (ins StrAttr:$var, OptionalAttr<Halide_Size>:$factor), "$var (`by` $factor^)?"> {
  let summary = "the loop, or its first `factor` steps, becomes straight-line code";
  let description = [{
    ```
    for x in [0, n)  ->  for xo in [0, n / 2)  a[2 * xo] = ...; a[2 * xo + 1] = ...
      a[x] = ...
    ```

    ```mlir
    halide.unroll @y "x" by 2
    ```
  }];
}

def Halide_ParallelOp
    : Halide_StageDirective<"parallel", (ins StrAttr:$var), "$var"> {
  let summary = "the loop's iterations run in the thread pool";
  let description = [{
    ```
    for x  ->  parallel for x
    ```

    ```mlir
    halide.parallel @y "x"
    ```
  }];
}

def Halide_AtomicOp : Halide_StageDirective<"atomic", (ins), ""> {
  let summary = "lets an associative update be vectorised";
  let description = [{
    ```mlir
    halide.atomic @sum update(0)
    halide.vectorize @sum update(0) "k" by 16
    ```
  }];
}

def Halide_AllowRaceConditionsOp
    : Halide_StageDirective<"allow_race_conditions", (ins), ""> {
  let summary = "lets a reduction loop be parallel where its writes never meet";
  let description = [{
    ```mlir
    halide.allow_race_conditions @y update(0)
    halide.parallel @y update(0) "w"
    ```
  }];
}

def Halide_ComputeWithOp : Halide_StageDirective<"compute_with",
    (ins FlatSymbolRefAttr:$stage, OptionalAttr<Halide_UpdateNumber>:$stage_update,
     StrAttr:$var, DefaultValuedAttr<Halide_AlignAttr, "Align::Auto">:$align),
    [{$stage (`update` `(` $stage_update^ `)`)? $var (`align` `(` custom<Keyword>($align)^ `)`)?}]> {
  let summary = "runs in the loops of another stage, from the outermost to `var`";
  let description = [{
    The two stages do not depend on each other and have equal loops that far. `align`
    says which ends of loops of different lengths meet.

    ```
    for y  f[y] = ...  ->  for y  f[y] = ...; g[y] = ...
    for y  g[y] = ...
    ```

    ```mlir
    halide.compute_with @g @f "y"
    halide.compute_with @g update(0) @f update(0) "y" align(start)
    ```

    Constraints:
    * (C1) `stage` is another stage.
  }];
  let hasVerifier = 1;
}

def Halide_PrefetchOp : Halide_StageDirective<"prefetch",
    (ins FlatSymbolRefAttr:$source, StrAttr:$var, Halide_Int:$offset),
    "$source $var $offset"> {
  let summary = "what the loop reads `offset` iterations later is prefetched";
  let description = [{
    ```
    for k            ->  for k
      y += w[k]            prefetch w[k + offset]
                           y += w[k]
    ```

    ```mlir
    halide.prefetch @y update(0) @w "k" 8
    ```
  }];
}
