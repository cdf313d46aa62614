// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The schedule: one op for each of Halide's directives. A directive applies to the
// func's pure definition, or to update number N where it says `update(N)`.

def Halide_ScheduleOp : Halide_Op<"schedule",
    [NoTerminator, NoRegionArguments, SingleBlock]> {
  let summary = "the schedule of a pipeline";
  let description = [{
    Stands last in a pipeline, or at the top of a file where `pipeline` says which
    pipeline's schedule it replaces (`--schedule=file.mlir`).

    ```mlir
    halide.schedule @linear_64x64 {
      halide.split @y "m" into ("mo", "mi") by 12 tail(guard_with_if)
    }
    ```
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$pipeline);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($pipeline^)? attr-dict-with-keyword $body";
}

class Halide_Directive<string mnemonic, dag extraArguments, string format>
    : Halide_Op<mnemonic, [HasParent<"ScheduleOp">]> {
  let arguments = !con((ins FlatSymbolRefAttr:$func,
      OptionalAttr<I64Attr>:$update), extraArguments);
  let assemblyFormat =
      "$func (`update` `(` $update^ `)`)? " # format # " attr-dict";
}

def Halide_SplitOp : Halide_Directive<"split",
    (ins StrAttr:$old, StrAttr:$outer, StrAttr:$inner, I64Attr:$factor,
     DefaultValuedAttr<Halide_TailAttr, "Tail::Auto">:$tail),
    "$old `into` ` ` `(` $outer `,` $inner `)` `by` $factor (`tail` `(` custom<Keyword>($tail)^ `)`)?"> {
  let summary = "one loop becomes two";
  let description = [{
    ```
    for x in [0, n)  ->  for xo in [0, n / factor)
                           for xi in [0, factor)     // x = xo * factor + xi
    ```
  }];
}

def Halide_FuseOp : Halide_Directive<"fuse",
    (ins StrAttr:$inner, StrAttr:$outer, StrAttr:$fused),
    "`(` $inner `,` $outer `)` `into` $fused"> {
  let summary = "two loops become one";
  let description = [{
    ```
    for y in [0, m)          ->  for t in [0, m * n)   // y = t / n, x = t mod n
      for x in [0, n)
    ```
  }];
}

def Halide_ReorderOp : Halide_Directive<"reorder", (ins StrArrayAttr:$vars),
    "$vars"> {
  let summary = "loops in this order, innermost first";
}

def Halide_VectorizeOp : Halide_Directive<"vectorize",
    (ins StrAttr:$var, OptionalAttr<I64Attr>:$factor,
     DefaultValuedAttr<Halide_TailAttr, "Tail::Auto">:$tail),
    "$var (`by` $factor^)? (`tail` `(` custom<Keyword>($tail)^ `)`)?"> {
  let summary = "the loop, or its first `factor` steps, becomes vector code";
  let description = [{
    ```
    for x in [0, n)  ->  for xo in [0, n / factor)  a[xo * factor .. + factor] = ...
      a[x] = ...
    ```
  }];
}

def Halide_UnrollOp : Halide_Directive<"unroll",
    (ins StrAttr:$var, OptionalAttr<I64Attr>:$factor), "$var (`by` $factor^)?"> {
  let summary = "the loop becomes straight-line code";
}

def Halide_ParallelOp : Halide_Directive<"parallel", (ins StrAttr:$var), "$var"> {
  let summary = "the loop's iterations run in the thread pool";
}

def Halide_AtomicOp : Halide_Directive<"atomic", (ins), ""> {
  let summary = "lets an associative update be vectorised";
}

def Halide_AllowRaceConditionsOp
    : Halide_Directive<"allow_race_conditions", (ins), ""> {
  let summary = "lets a reduction loop be parallel where its writes never meet";
}

def Halide_ComputeAtOp : Halide_Directive<"compute_at",
    (ins FlatSymbolRefAttr:$consumer, StrAttr:$var), "$consumer $var"> {
  let summary = "what an iteration of the consumer's loop needs is computed in it";
  let description = [{
    ```
    for y            ->  for y
      g[y] = f(y)          f[...] = ...
                           g[y] = f[...]
    ```
  }];
}

def Halide_StoreAtOp : Halide_Directive<"store_at",
    (ins FlatSymbolRefAttr:$consumer, StrAttr:$var), "$consumer $var"> {
  let summary = "storage lives as long as an iteration of the consumer's loop";
}

def Halide_ComputeRootOp : Halide_Directive<"compute_root", (ins), ""> {
  let summary = "computed in full before any consumer";
}

def Halide_StoreInOp : Halide_Directive<"store_in", (ins Halide_MemoryAttr:$memory),
    "custom<Keyword>($memory)"> {
  let summary = "where the values are kept";
}

def Halide_BoundOp : Halide_Directive<"bound",
    (ins StrAttr:$var, I64Attr:$min, I64Attr:$extent), "$var $min $extent"> {
  let summary = "a promise: the loop covers just [min, min + extent)";
}

def Halide_BoundExtentOp : Halide_Directive<"bound_extent",
    (ins StrAttr:$var, I64Attr:$extent), "$var $extent"> {
  let summary = "a promise: the loop covers `extent` steps";
}

def Halide_PrefetchOp : Halide_Directive<"prefetch",
    (ins FlatSymbolRefAttr:$source, StrAttr:$var, I64Attr:$offset),
    "$source $var $offset"> {
  let summary = "what the loop reads `offset` iterations later is prefetched";
}
