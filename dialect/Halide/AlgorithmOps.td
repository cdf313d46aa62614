// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The algorithm: what each func is, without loops or storage.

def Halide_PipelineOp : Halide_Op<"pipeline",
    [IsolatedFromAbove, NoTerminator, NoRegionArguments, SingleBlock, Symbol,
     SymbolTable]> {
  let summary = "one kernel";
  let description = [{
    Parameters, inputs, funcs and outputs, then the schedule. The compiled function
    takes the parameters and buffers in the order of their ops.

    ```mlir
    halide.pipeline @scale {
      %rows = halide.param "batch * length"
      halide.input @x [64, %rows] : f32
      halide.func @y(%c, %m) : f32 {
        %0 = halide.access @x(%c, %m) : f32
        %1 = arith.addf %0, %0 : f32
        halide.yield %1 : f32
      }
      halide.output @y [64, %rows]
      halide.schedule {
        halide.vectorize @y "c" by 16
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Halide_ParamOp : Halide_Op<"param",
    [Pure, HasParent<"PipelineOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a size that the caller chooses";
  let description = [{
    `size` is an expression over the sizes of the kernel's arguments (#heddle.size).

    ```mlir
    %rows = halide.param "batch * length"
    ```
  }];
  let arguments = (ins Heddle_SizeAttr:$size);
  let results = (outs I32:$result);
  let assemblyFormat = "custom<Size>($size) attr-dict";
}

def Halide_TaskOp : Halide_Op<"task",
    [Pure, HasParent<"PipelineOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the number of the task that is computed";
  let description = [{
    What the outputs of a pipeline share can be computed inside the loops of one of them
    alone, as Halide has it. A pipeline with a task is the work of one, so that all of its
    outputs share what is computed at its root. The compiled function runs the tasks from
    0 to `count` - 1, in parallel; each writes other elements. With `in_order`, tasks come
    in groups of so many, and those of a group run one after the other, so that they may
    change what the one before has written.

    ```mlir
    halide.pipeline @rows {
      %rows = halide.param "rows"
      %row = halide.task of %rows
    }
    ```

    Constraints:
    * (C1) `count` and `in_order` are each a halide.param.
    * (C2) it is the only one of its pipeline.
  }];
  let arguments = (ins I32:$count, Optional<I32>:$inOrder);
  let results = (outs I32:$result);
  let assemblyFormat = "`of` $count (`in_order` $inOrder^)? attr-dict";
  let hasVerifier = 1;
}

def Halide_InputOp : Halide_Op<"input", [HasParent<"PipelineOp">, Symbol]> {
  let summary = "a buffer that the kernel reads";
  let description = [{
    Extents are innermost first, as in Halide, and elements lie without gaps.
    `argument` is the kernel argument it comes from, `part` 1 the values of a cache.
    Unsigned integers are read as signless ones.

    ```mlir
    halide.input @x [64, 4] : f32
    halide.input @values [64, %rows] : f32 from argument(2, part 1)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Variadic<I32>:$extents,
      DenseI64ArrayAttr:$static_extents,
      TypeAttrOf<Halide_Element>:$type, OptionalAttr<I64Attr>:$argument,
      OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $sym_name custom<DynamicIndexList>($extents, $static_extents) `:` $type
    (`from` `argument` `(` $argument^ (`,` `part` $part^)? `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Halide_OutputOp : Halide_Op<"output", [HasParent<"PipelineOp">]> {
  let summary = "a func that the kernel writes to memory of the caller";
  let description = [{
    Extents as for halide.input. Without `result` the buffer is scratch
    of the kernel, taken from the workspace. `type` says what the buffer's elements are
    where the func has no such type: unsigned integers.

    ```mlir
    halide.func @y(%c, %m) : f32 {
      %0 = arith.constant 1.0 : f32
      halide.yield %0 : f32
    }
    halide.output @y [64, %rows] to result(0)
    ```

    Constraints:
    * (C1) `func` names a func that stands before it, with one value and an extent for
      each variable.
  }];
  let arguments = (ins FlatSymbolRefAttr:$func, Variadic<I32>:$extents,
      DenseI64ArrayAttr:$static_extents, OptionalAttr<TypeAttrOf<Halide_Element>>:$type,
      OptionalAttr<I64Attr>:$result, OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $func custom<DynamicIndexList>($extents, $static_extents) (`:` $type^)?
    (`to` `result` `(` $result^ (`,` `part` $part^)? `)`)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Halide_FuncOp : Halide_Op<"func",
    [HasParent<"PipelineOp">, Symbol, SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a func and its pure definition";
  let description = [{
    `f(x, y) = body`. The names of the block arguments are the names of Halide's
    Vars, by which the schedule refers to the loops. A func with several types has
    tuple values. `reduction` says what a func with updates stands for.

    ```mlir
    halide.func @sum(%n, %m) : f32 reduction(contraction) {
      %0 = arith.constant 0.0 : f32
      halide.yield %0 : f32
    }
    ```

    Constraints:
    * (C1) the body yields values of the func's types.
    * (C2) variables have distinct names.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$vars,
      TypeArrayAttr:$types, OptionalAttr<Halide_ReductionAttr>:$reduction);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getRank() { return getVars().size(); }
    ::mlir::Type getElementType(unsigned index = 0) {
      return ::llvm::cast<::mlir::TypeAttr>(getTypes()[index]).getValue();
    }
  }];
}

def Halide_UpdateOp : Halide_Op<"update",
    [HasParent<"PipelineOp">, SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "an update definition of a func";
  let description = [{
    `f(x, y) = body`, run after the definitions before it, for every point of the
    reduction domain `reduce(%k < extent, ...)` (each from 0) that satisfies
    halide.where. The coordinates written are the variables, or those that
    halide.yield gives.

    ```mlir
    halide.input @x [64, 4] : f32
    halide.func @sum(%m) : f32 {
      %0 = arith.constant 0.0 : f32
      halide.yield %0 : f32
    }
    halide.update @sum(%m) reduce(%k < 64) {
      %0 = halide.access @sum(%m) : f32
      %1 = halide.access @x(%k, %m) : f32
      %2 = arith.addf %0, %1 : f32
      halide.yield %2 : f32
    }
    ```

    Constraints:
    * (C1) `func` names a func of the pipeline that stands before.
    * (C2) there is a variable for each of the func's, of the same name.
    * (C3) the body yields values of the func's types.
  }];
  let arguments = (ins FlatSymbolRefAttr:$func, StrArrayAttr:$vars,
      StrArrayAttr:$reduction_vars, Variadic<I32>:$extents,
      DenseI64ArrayAttr:$static_extents);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Halide_YieldOp : Halide_Op<"yield",
    [Pure, Terminator, ReturnLike, AttrSizedOperandSegments,
     ParentOneOf<["FuncOp", "UpdateOp"]>]> {
  let summary = "the values of a definition, and where an update writes them";
  let description = [{
    ```mlir
    halide.func @copy(%c, %m) : i32 {
      halide.yield %c : i32
    }
    halide.update @copy(%c, %m) reduce(%k < 8) {
      halide.yield %m at(%k, %m) : i32
    }
    ```
  }];
  let arguments = (ins Variadic<Halide_Scalar>:$values, Variadic<I32>:$coordinates);
  let assemblyFormat =
      "$values (`at` `(` $coordinates^ `)`)? attr-dict `:` type($values)";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange(), ::mlir::ValueRange());
  }]>];
}

def Halide_WhereOp : Halide_Op<"where", [HasParent<"UpdateOp">]> {
  let summary = "restricts the reduction domain (RDom::where)";
  let description = [{
    ```mlir
    halide.func @row(%c) : i32 {
      halide.yield %c : i32
    }
    halide.update @row(%c) reduce(%k < 8) {
      %0 = arith.cmpi sle, %k, %c : i32
      halide.where %0
      halide.yield %k : i32
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Halide_AccessOp : Halide_Op<"access",
    [Pure, ParentOneOf<["FuncOp", "UpdateOp"]>]> {
  let summary = "a value of a func or input";
  let description = [{
    ```mlir
    halide.input @x [64, 4] : f32
    halide.func @pair(%c, %m) : f32, i32 {
      %0 = halide.access @x(%c, %m) : f32
      halide.yield %0, %c : f32, i32
    }
    halide.func @second(%c) : i32 {
      %0 = halide.access @pair[1](%c, %c) : i32
      halide.yield %0 : i32
    }
    ```

    Constraints:
    * (C1) `source` names a func or input that stands before it in the pipeline.
    * (C2) there is a coordinate for each of its dimensions.
    * (C3) the result has the type of value number `index`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$source,
      DefaultValuedAttr<I64Attr, "0">:$index, Variadic<I32>:$coordinates);
  let results = (outs Halide_Scalar:$result);
  let assemblyFormat = [{
    $source (`[` $index^ `]`)? `` `(` $coordinates `)` attr-dict `:` type($result)
  }];
}

def Halide_CallOp : Halide_Op<"call", [Pure]> {
  let summary = "a function of the C library, of each element by itself";
  let description = [{
    ```mlir
    halide.input @x [64] : f64
    halide.func @y(%c) : f64 {
      %0 = halide.access @x(%c) : f64
      %1 = halide.call "exp"(%0) : f64
      halide.yield %1 : f64
    }
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<F64>:$operands);
  let results = (outs F64:$result);
  let assemblyFormat = "$function `(` $operands `)` attr-dict `:` type($result)";
}

def Halide_UndefOp : Halide_Op<"undef", [Pure]> {
  let summary = "no value (Halide's undef): the definition writes nothing";
  let description = [{
    ```mlir
    halide.func @scratch(%c) : f32 {
      %0 = halide.undef : f32
      halide.yield %0 : f32
    }
    ```
  }];
  let results = (outs Halide_Scalar:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Halide_PromiseClampedOp : Halide_Op<"promise_clamped",
    [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a promise that a coordinate read from data is in [low, high]";
  let description = [{
    Halide's unsafe_promise_clamped: the value itself, with bounds that Halide's
    analysis may rely on.

    ```mlir
    halide.input @ids [4] : i32
    halide.input @table [64, 512] : f32
    halide.func @row(%c, %m) : f32 {
      %low = arith.constant 0 : i32
      %high = arith.constant 511 : i32
      %0 = halide.access @ids(%m) : i32
      %1 = halide.promise_clamped %0 in [%low, %high]
      %2 = halide.access @table(%c, %1) : f32
      halide.yield %2 : f32
    }
    ```
  }];
  let arguments = (ins I32:$value, I32:$low, I32:$high);
  let results = (outs I32:$result);
  let assemblyFormat = "$value `in` ` ` `[` $low `,` $high `]` attr-dict";
}

def Halide_ModOp : Halide_Op<"mod", [Pure, SameOperandsAndResultType]> {
  let summary = "what arith.floordivsi leaves of a coordinate (Halide's %)";
  let description = [{
    `x mod y = x - y floor(x / y)`, which is in [0, y) for the positive `y` that it is
    for: extents and tile sizes. Halide's analysis of bounds understands it, and no
    sequence of `arith` ops that says the same; arith.remsi has the sign of `x`.

    ```mlir
    halide.func @lane(%c) : i32 {
      %width = arith.constant 64 : i32
      %0 = halide.mod %c, %width
      halide.yield %0 : i32
    }
    ```
  }];
  let arguments = (ins I32:$x, I32:$y);
  let results = (outs I32:$result);
  let assemblyFormat = "$x `,` $y attr-dict";
}
