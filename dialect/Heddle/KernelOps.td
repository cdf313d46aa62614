// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels: what fusion makes of a model.

include "mlir/Interfaces/FunctionInterfaces.td"

def Heddle_KernelOp : Heddle_Op<"kernel",
    [FunctionOpInterface, IsolatedFromAbove,
     SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "ops that are computed by one compiled function";
  let description = [{
    Attention, an append to a cache, or heddle.generic ops that are computed row by row
    (a contraction and what is done to its tiles, a normalisation). Weights are
    arguments with the attribute `heddle.weight`, and `heddle.layout` where they are
    not dense, so layers that differ in weights alone launch the same kernel; caches
    are those of one layer. `--heddle-configure-kernels` adds `heddle.configuration`, the
    numbers that its loops are made with.

    ```mlir
    heddle.kernel @negated(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = heddle.generic over ["n", 64] ins(%x : tensor<?x64xf32>)
          maps [affine_map<(i, j) -> (i, j)>] {
      ^bb0(%e: f32):
        %0 = arith.negf %e : f32
        heddle.yield %0 : f32
      } : tensor<?x64xf32>
      heddle.yield %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Heddle_YieldOp : Heddle_Op<"yield",
    [Pure, Terminator, ReturnLike,
     ParentOneOf<["KernelOp", "GenericOp", "WeightOp", "AttentionOp", "MultiHeadAttentionOp",
                  "EncoderLayerOp", "DecoderLayerOp", "EncoderOp", "DecoderOp",
                  "EncoderDecoderOp"]>]> {
  let summary = "the results of a kernel, of a point of a heddle.generic, or of a change of scores";
  let description = [{
    ```mlir
    heddle.kernel @same(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      heddle.yield %x : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Heddle_LaunchOp : Heddle_Op<"launch",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one run of a kernel";
  let description = [{
    Cache operands are narrowed to `layer` before the kernel sees them, and cache
    results widened again.

    ```mlir
    %y = heddle.launch @negated(%x) : (tensor<?x64xf32>) -> tensor<?x64xf32>
    ```

    Constraints:
    * (C1) `kernel` names a heddle.kernel.
    * (C2) its types are those of the operands and results, but that caches have one
      layer in the kernel, and neighbouring dimensions of tensors may be one
      (`--heddle-form-kernels` collapses them).
    * (C3) `layer` is given where a cache is, and is one of its layers.
    * (C4) where a result is a cache, nothing after it uses an operand that is one,
      but to read other layers: kernels append in place.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
      Variadic<AnyType>:$arguments, OptionalAttr<I64Attr>:$layer);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $kernel `(` $arguments `)` (`layer` `(` $layer^ `)`)? attr-dict
    `:` functional-type($arguments, $results)
  }];
}

def Heddle_ConfigureOp : Heddle_Op<"configure"> {
  let summary = "replaces what the compiler chose for a kernel or for a weight";
  let description = [{
    Stands in a file of its own (`heddlec --schedule`). A kernel takes a configuration of
    the kind that it has, which `heddlec --emit=kernels` prints; a weight takes the
    layout that contractions find it in, and their kernels have columns of its width.

    ```mlir
    heddle.configure @silu #heddle.row_tiles<task = 4096, strip = 512, vector = 8>
    heddle.configure @gate #heddle.layout<panels of 32 along 0>
    ```

    Constraints:
    * (C1) `configuration` is one of the attributes that Configuration.td has for
      kernels, or a layout.
  }];
  let arguments = (ins FlatSymbolRefAttr:$name, AnyAttr:$configuration);
  let assemblyFormat = "$name $configuration attr-dict";
  let hasVerifier = 1;
}
