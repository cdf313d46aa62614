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
      %rows = halide.param "batch*length"
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
    `size` is a product of the model's named sizes, such as "batch*length".
  }];
  let arguments = (ins StrAttr:$size);
  let results = (outs I32:$result);
  let assemblyFormat = "$size attr-dict";
}

def Halide_InputOp : Halide_Op<"input", [HasParent<"PipelineOp">, Symbol]> {
  let summary = "a buffer that the kernel reads";
  let description = [{
    Extents are innermost first, as in Halide. `strides` are in elements; 0 stands
    for dense after the dimension before, which is also the default.
    `argument` is the kernel argument it comes from, `part` 1 the values of a cache.

    Constraints:
    * (C1) there is a stride for each extent.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Variadic<I32>:$extents,
      DenseI64ArrayAttr:$static_extents, OptionalAttr<DenseI64ArrayAttr>:$strides,
      TypeAttrOf<Halide_Scalar>:$type, OptionalAttr<I64Attr>:$argument,
      OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $sym_name custom<DynamicIndexList>($extents, $static_extents)
    (`strides` $strides^)? `:` $type
    (`from` `argument` `(` $argument^ (`,` `part` $part^)? `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Halide_OutputOp : Halide_Op<"output", [HasParent<"PipelineOp">]> {
  let summary = "a func that the kernel writes to memory of the caller";
  let description = [{
    Extents and strides as for halide.input. Without `result` the buffer is scratch
    of the kernel, taken from the workspace.

    Constraints:
    * (C1) there is a stride for each extent.
    * (C2) `func` names a func of the pipeline, with one value and an extent for
      each variable.
  }];
  let arguments = (ins FlatSymbolRefAttr:$func, Variadic<I32>:$extents,
      DenseI64ArrayAttr:$static_extents, OptionalAttr<DenseI64ArrayAttr>:$strides,
      OptionalAttr<I64Attr>:$result, OptionalAttr<I64Attr>:$part);
  let assemblyFormat = [{
    $func custom<DynamicIndexList>($extents, $static_extents)
    (`strides` $strides^)? (`to` `result` `(` $result^ (`,` `part` $part^)? `)`)?
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
    halide.update @acc(%n, %m) reduce(%k < 64) {
      %0 = halide.access @acc(%n, %m) : f32
      ...
      halide.yield %3 : f32
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
  let arguments = (ins Variadic<Halide_Scalar>:$values, Variadic<I32>:$coordinates);
  let assemblyFormat =
      "$values (`at` `(` $coordinates^ `)`)? attr-dict `:` type($values)";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange(), ::mlir::ValueRange());
  }]>];
}

def Halide_WhereOp : Halide_Op<"where", [HasParent<"UpdateOp">]> {
  let summary = "restricts the reduction domain (RDom::where)";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Halide_AccessOp : Halide_Op<"access",
    [Pure, ParentOneOf<["FuncOp", "UpdateOp"]>]> {
  let summary = "a value of a func or input";
  let description = [{
    Constraints:
    * (C1) `source` names a func or input of the pipeline.
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

def Halide_UndefOp : Halide_Op<"undef", [Pure]> {
  let summary = "no value (Halide's undef): the definition writes nothing";
  let results = (outs Halide_Scalar:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Halide_PromiseClampedOp : Halide_Op<"promise_clamped",
    [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a promise that a coordinate read from data is in [low, high]";
  let description = [{
    Halide's unsafe_promise_clamped: the value itself, with bounds that Halide's
    analysis may rely on.
  }];
  let arguments = (ins I32:$value, I32:$low, I32:$high);
  let results = (outs I32:$result);
  let assemblyFormat = "$value `in` ` ` `[` $low `,` $high `]` attr-dict";
}
