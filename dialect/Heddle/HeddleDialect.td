// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_TD
#define HEDDLE_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Heddle_Dialect : Dialect {
  let name = "heddle";
  let cppNamespace = "::heddle";
  let summary = "What a transformer computes";
  let description = [{
    Ops of the model level: the things a transformer has a name for. Elementwise
    maths is `arith` and `math` on tensors, of any rank up to 6. Weights of linear
    layers are `[output channels, input channels]`, as checkpoints store them.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

include "dialect/Heddle/Sizes.td"
include "dialect/Heddle/Roles.td"
include "dialect/Heddle/Contraction.td"
include "dialect/Heddle/Layout.td"
include "dialect/Heddle/Configuration.td"

//===-- Types -----------------------------------------------------------------//

class Heddle_Type<string name, string typeMnemonic>
    : TypeDef<Heddle_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Heddle_MaskType : Heddle_Type<"Mask", "mask"> {
  let summary = "which keys each query may see, as algebra rather than a tensor";
  let description = [{
    A predicate over (batch, head, query, key). It has no storage: attention evaluates
    it per tile of the score matrix, skipping tiles where it is false throughout.
  }];
}

def Heddle_CacheType : Heddle_Type<"Cache", "cache"> {
  let summary = "the keys and values of all layers for a batch of sequences";
  let description = [{
    Of each layer, keys `[batch, capacity, kv heads, head dimension]` and values of the same
    shape, whose heads may have another dimension, and elements another type. Batch and
    capacity are chosen per call by the caller, who owns the memory.

    Elements are f32, bf16, f16 or i8. An i8 q stands for q * s, with an f32 scale s for
    each position and head: s is a 127th of the largest magnitude among the elements that
    it is for.

    Example: `!heddle.cache<5 x 4 x 8 x f32>` (layers x kv heads x head dimension x
    elements); values that differ follow: `!heddle.cache<5 x 4 x 8 x i8, values 16 x
    bf16>`; where batch and capacity are known, they are last: `!heddle.cache<5 x 4 x 8 x
    f32, <"batch", "capacity">>`.

    In memory the parts of each layer (CachePart) follow each other, and each is an array
    of sequences: see compiler/Lowering/LowerCache.cpp.
  }];
  let parameters = (ins "int64_t":$layers, "int64_t":$kvHeads,
      "int64_t":$headDim, "::mlir::Type":$elementType, "int64_t":$valueDim,
      "::mlir::Type":$valueType, OptionalParameter<"::heddle::SizesAttr">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilder<(ins "int64_t":$layers, "int64_t":$kvHeads,
      "int64_t":$headDim, "::mlir::Type":$elementType), [{
    return $_get($_ctxt, layers, kvHeads, headDim, elementType, headDim, elementType,
                 SizesAttr());
  }]>];
  let extraClassDeclaration = [{
    CacheType withSizes(SizesAttr sizes) const;
    CacheType withLayers(int64_t layers) const;
    /// What the memory of one layer consists of, in order.
    ::llvm::SmallVector<CachePart> getParts() const;
    /// Elements of one head and position in a part: 1 of scales. Their type.
    int64_t getDimOf(CachePart part) const;
    ::mlir::Type getTypeOf(CachePart part) const;
    /// Bytes that one position of one sequence takes in a part, and in all parts of all
    /// layers.
    int64_t getBytesPerPosition(CachePart part) const;
    int64_t getBytesPerPosition() const;
  }];
}

def Heddle_FrameType : Heddle_Type<"Frame", "frame"> {
  let summary = "what one call of an entry point works on";
  let description = [{ A pointer to heddle_frame of runtime/heddle_abi.h. }];
}

def Heddle_DescriptorsType : Heddle_Type<"Descriptors", "descriptors"> {
  let summary = "room for descriptors of this many buffers";
  let description = [{ Example: `!heddle.descriptors<7>`. }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}

//===-- Attributes --------------------------------------------------------------//

def Heddle_ActivationKind : I32EnumAttr<"ActivationKind", "an activation",
    [I32EnumAttrCase<"Silu", 0, "silu">, I32EnumAttrCase<"Relu", 1, "relu">,
     I32EnumAttrCase<"Gelu", 2, "gelu">, I32EnumAttrCase<"GeluTanh", 3, "gelu_tanh">,
     I32EnumAttrCase<"Sigmoid", 4, "sigmoid">, I32EnumAttrCase<"Tanh", 5, "tanh">,
     I32EnumAttrCase<"QuickGelu", 6, "quick_gelu">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_ActivationAttr
    : EnumAttr<Heddle_Dialect, Heddle_ActivationKind, "activation">;

def Heddle_NormOrder : I32EnumAttr<"NormOrder", "where the norms of a layer are",
    [I32EnumAttrCase<"Post", 0, "post">, I32EnumAttrCase<"Pre", 1, "pre">,
     I32EnumAttrCase<"Sandwich", 2, "sandwich">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_NormOrderAttr : EnumAttr<Heddle_Dialect, Heddle_NormOrder, "norm_order">;

def Heddle_NormKind : I32EnumAttr<"NormKind", "a norm",
    [I32EnumAttrCase<"Layer", 0, "layer">, I32EnumAttrCase<"Rms", 1, "rms">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_NormKindAttr : EnumAttr<Heddle_Dialect, Heddle_NormKind, "norm_kind">;

def Heddle_Alignment : I32EnumAttr<"Alignment",
    "where the causal diagonal lies when queries and keys differ in number",
    [I32EnumAttrCase<"TopLeft", 0, "top_left">, I32EnumAttrCase<"BottomRight", 1, "bottom_right">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_AlignmentAttr
    : EnumAttr<Heddle_Dialect, Heddle_Alignment, "alignment">;

def Heddle_ScoreDim : I32EnumAttr<"ScoreDim", "a dimension of attention's scores",
    [I32EnumAttrCase<"Batch", 0, "batch">, I32EnumAttrCase<"Head", 1, "head">,
     I32EnumAttrCase<"Query", 2, "query">, I32EnumAttrCase<"Key", 3, "key">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_ScoreDimAttr : EnumAttr<Heddle_Dialect, Heddle_ScoreDim, "score_dim">;
def Heddle_ScoreDimsAttr
    : TypedArrayAttrBase<Heddle_ScoreDimAttr, "array of dimensions of scores">;

def Heddle_AttentionDim : I32EnumAttr<"AttentionDim", "a dimension of attention's operands",
    [I32EnumAttrCase<"Batch", 0, "batch">, I32EnumAttrCase<"Length", 1, "length">,
     I32EnumAttrCase<"Head", 2, "head">, I32EnumAttrCase<"Channel", 3, "channel">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_AttentionDimAttr
    : EnumAttr<Heddle_Dialect, Heddle_AttentionDim, "attention_dim">;
def Heddle_AttentionDimsAttr
    : TypedArrayAttrBase<Heddle_AttentionDimAttr, "array of dimensions of attention's operands">;

def Heddle_Buckets : I32EnumAttr<"Buckets", "for which keys there are buckets of distances",
    [I32EnumAttrCase<"Both", 0, "both">, I32EnumAttrCase<"Causal", 1, "causal">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_BucketsAttr : EnumAttr<Heddle_Dialect, Heddle_Buckets, "buckets">;

def Heddle_Normalization : I32EnumAttr<"Normalization", "how scores become weights",
    [I32EnumAttrCase<"Softmax", 0, "softmax">, I32EnumAttrCase<"Sum", 1, "sum">,
     I32EnumAttrCase<"None", 2, "none">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_NormalizationAttr
    : EnumAttr<Heddle_Dialect, Heddle_Normalization, "normalization">;

def Heddle_AttentionResult : I32EnumAttr<"AttentionResult", "what attention gives",
    [I32EnumAttrCase<"Output", 0, "output">, I32EnumAttrCase<"Weights", 1, "weights">,
     I32EnumAttrCase<"LogSumExp", 2, "log_sum_exp">,
     I32EnumAttrCase<"RawScores", 3, "raw_scores">,
     I32EnumAttrCase<"ScaledScores", 4, "scaled_scores">,
     I32EnumAttrCase<"ChangedScores", 5, "changed_scores">,
     I32EnumAttrCase<"MaskedScores", 6, "masked_scores">,
     I32EnumAttrCase<"Unnormalized", 7, "unnormalized">,
     I32EnumAttrCase<"Maximum", 8, "maximum">, I32EnumAttrCase<"Sum", 9, "sum">,
     I32EnumAttrCase<"ColumnSums", 10, "column_sums">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_AttentionResultAttr
    : EnumAttr<Heddle_Dialect, Heddle_AttentionResult, "attention_result">;
def Heddle_AttentionResultsAttr
    : TypedArrayAttrBase<Heddle_AttentionResultAttr, "array of results of attention">;

def Heddle_ScatterKind : I32EnumAttr<"ScatterKind", "what a scatter does",
    [I32EnumAttrCase<"Assign", 0, "assign">, I32EnumAttrCase<"Add", 1, "add">,
     I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_ScatterAttr : EnumAttr<Heddle_Dialect, Heddle_ScatterKind, "scatter">;

def Heddle_ReductionKind : I32EnumAttr<"ReductionKind", "a reduction",
    [I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
     I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
     I32EnumAttrCase<"Product", 4, "product">, I32EnumAttrCase<"L2", 5, "l2">,
     I32EnumAttrCase<"LogSumExp", 6, "log_sum_exp">, I32EnumAttrCase<"Any", 7, "any">,
     I32EnumAttrCase<"All", 8, "all">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_ReductionAttr : EnumAttr<Heddle_Dialect, Heddle_ReductionKind, "reduction">;

def Heddle_ExtremumKind : I32EnumAttr<"ExtremumKind", "the largest or the smallest",
    [I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_ExtremumAttr : EnumAttr<Heddle_Dialect, Heddle_ExtremumKind, "extremum">;

include "dialect/Heddle/RopeScaling.td"

#endif // HEDDLE_DIALECT_TD
