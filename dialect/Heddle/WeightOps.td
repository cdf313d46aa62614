// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights: tensors that are known when the model is compiled.

def Heddle_WeightOp : Heddle_Op<"weight",
    [Symbol, IsolatedFromAbove, NoRegionArguments,
     SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a trained tensor of the model";
  let description = [{
    The values are tensor `source` of the model's checkpoint, or `value` where the
    text itself holds them. `type` may be a narrower float than what the checkpoint
    stores: values are then rounded to nearest even when they are packed. Integers are
    those that the checkpoint stores.

    ```mlir
    heddle.weight @embed from "model.embed_tokens.weight" : tensor<512x64xf32>
    heddle.weight @scale = dense<1.0> : tensor<64xf32>
    ```

    Or `body` says how it follows from other weights: by ops that move elements, and by
    arithmetic on floats, in double precision. It is computed once, when it is packed, a few
    rows at a time, and rounded to its type. `--heddle-derive-weights` makes such weights of
    what functions compute of weights alone.

    ```mlir
    // GPT-2 stores its matrices with the inputs first.
    heddle.weight @c_fc from "h.0.mlp.c_fc.weight" : tensor<64x256xf32>
    heddle.weight @c_fc_transposed : tensor<256x64xf32> {
      %w = heddle.weight_ref @c_fc : tensor<64x256xf32>
      %t = heddle.transpose %w permutation [1, 0] : tensor<64x256xf32> -> tensor<256x64xf32>
      heddle.yield %t : tensor<256x64xf32>
    }
    ```

    Constraints:
    * (C1) exactly one of `source`, `value` and `body` is given.
    * (C2) `type` has a static shape, and `value` has that type, as has what `body` yields.
    * (C3) `value` is `dense`, or `dense_resource` with bytes for each element.
    * (C4) weights that `body` reads have no body.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Heddle_WeightTensor>:$type,
      OptionalAttr<StrAttr>:$source, OptionalAttr<ElementsAttr>:$value);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// The little-endian elements of a `value` that is a resource with bytes.
    std::optional<::llvm::ArrayRef<uint8_t>> getValueBytes();
    /// Whether it follows from other weights.
    bool isDerived() { return !getBody().empty(); }
    /// What `body` yields.
    ::mlir::Value getYielded() {
      return getBody().front().getTerminator()->getOperand(0);
    }
  }];
}

def Heddle_WeightRefOp : Heddle_PureOp<"weight_ref",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the tensor of a heddle.weight";
  let description = [{
    ```mlir
    heddle.weight @scale = dense<1.0> : tensor<64xf32>
    %w = heddle.weight_ref @scale : tensor<64xf32>
    ```

    `offsets` make it a part of the weight, a box as large as its type says: element
    [i, j, ..] is element [offsets[0] + i, offsets[1] + j, ..] of the weight.

    ```mlir
    heddle.weight @in_proj from "in_proj_weight" : tensor<192x64xf32>
    %k = heddle.weight_ref @in_proj offsets [64, 0] : tensor<64x64xf32>
    ```

    `layout` says how the elements lie in memory. `--heddle-assign-layouts` gives it
    to weights that contractions read; each weight, and each part of one that is read, is
    packed once for each of its layouts.

    Constraints:
    * (C1) `weight` names a heddle.weight of the result's type.
    * (C2) `layout` is about one of the weight's dimensions.
    * (C3) with `offsets`, one for each dimension of the weight, the result has the weight's
      rank and element type, and all of it is in the weight.
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight, OptionalAttr<DenseI64ArrayAttr>:$offsets,
      OptionalAttr<Heddle_LayoutAttr>:$layout);
  let results = (outs Heddle_WeightTensor:$result);
  let assemblyFormat = [{
    $weight (`offsets` $offsets^)? (`layout` `(` $layout^ `)`)? attr-dict
    `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::llvm::StringRef":$weight), [{
    build($_builder, $_state, type, weight, ::mlir::DenseI64ArrayAttr(), LayoutAttr());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = Heddle_FusionRole<"Constant">.declaration # [{
    /// What of the weight it is, whatever the layout: equal for equal parts.
    ::mlir::Attribute getPart();
    /// Where its first element is in the weight: at 0 without `offsets`.
    ::llvm::SmallVector<int64_t> getFirst();
    /// The reference to a box of what this one is to, `offsets` from its first
    /// element on, without a layout.
    static WeightRefOp createPart(::mlir::OpBuilder &b, ::mlir::Location location,
                                  WeightRefOp whole, ::llvm::ArrayRef<int64_t> offsets,
                                  ::llvm::ArrayRef<int64_t> sizes);
  }];
}

def Heddle_RotaryTableOp : Heddle_PureOp<"rotary_table",
    [DeclareOpInterfaceMethods<Heddle_TableOpInterface>]> {
  let summary = "cosines and sines from which any position's rotation follows";
  let description = [{
    Row r < 256 holds the angles of position r, row 256 + r those of position
    256 * r, so that position p is the sum of angles `p mod 256` and
    `256 + p div 256`, and cos(a + b), sin(a + b) follow by the addition theorem.
    A table of every position would take 33 MB for 131072 positions of 64
    channels; this one takes 0.2 MB, and its values are rounded once from double,
    or are doubles.

    Layout `[256 + ceil(positions / 256), 2 (cosine, sine), dimension / 2]`.
    See heddle.rotary for `base` and `scaling`, whose attention factor is in the rows
    below 256 alone: each angle has one of them.

    ```mlir
    %t = heddle.rotary_table dimension(8) positions(512) base(10000.0)
       : tensor<258x2x4xf32>
    ```

    Constraints:
    * (C1) the result has that shape.
    * (C2) `dimension` is even and positive, and `positions` as heddle.rotary has it.
    * (C3) `scaling` fits `dimension` and `base`, as heddle.rotary has it, and longrope has
      a `length`.
  }];
  let arguments = (ins I64Attr:$dimension, I64Attr:$positions, F64Attr:$base,
      OptionalAttr<Heddle_RopeScalingAttr>:$scaling);
  let results = (outs TensorRankOf<[F32, F64], [3]>:$result);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `positions` `(` $positions `)` `base` `(` $base `)`
    (`scaling` `(` $scaling^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Heddle_FusionRole<"Constant">.declaration # [{
    /// Positions told apart by the first part of the table.
    static constexpr int64_t kFineRows = 256;
    /// Masks add the numbers of two positions, and kernels count with 32 bits.
    static constexpr int64_t kLargestPositions = (INT32_MAX - 4095) / 2;
    /// The table of 10 million positions of 128 channels takes 20 MiB.
    static constexpr int64_t kLargestBytes = 256 << 20;
    static uint64_t bytesOf(uint64_t dimension, int64_t positions,
                            bool isDouble = false);
    /// Demands of `op` that there can be a table for its positions.
    static ::llvm::LogicalResult verifyPositions(::mlir::Operation *op,
                                                 int64_t dimension,
                                                 int64_t positions,
                                                 bool isDouble);
    /// The shape of a table for so many channels a head and positions.
    static ::llvm::SmallVector<int64_t> shapeOf(int64_t dimension,
                                                int64_t positions);
  }];
}
