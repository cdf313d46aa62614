// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_OPS_TD
#define HEDDLE_OPS_TD

include "dialect/Heddle/HeddleDialect.td"
include "dialect/Heddle/HeddleInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Heddle_Op<string mnemonic, list<Trait> traits = []>
    : Op<Heddle_Dialect, mnemonic, traits>;

// Ops without effects whose result types follow from their operands.
class Heddle_PureOp<string mnemonic, list<Trait> traits = []>
    : Heddle_Op<mnemonic, !listconcat(
          [Pure, DeclareOpInterfaceMethods<Heddle_SizesOpInterface>,
           Heddle_FusionOpInterface], traits)>;

// Of ops that fusion sees as something else than a root.
class Heddle_FusionRole<string role> {
  string declaration =
      "::heddle::FusionRole getFusionRole() { return ::heddle::FusionRole::" # role # "; }";
}

// Ops that compute in f32, or in f64 (ActivationsOpInterface).
class Heddle_LayerOp<string mnemonic, list<Trait> traits = []>
    : Heddle_PureOp<mnemonic, !listconcat([Heddle_ActivationsOpInterface], traits)>;

// Ops on tensors of any rank, which decompose into heddle.generic.
class Heddle_TensorOp<string mnemonic, list<Trait> traits = []>
    : Heddle_PureOp<mnemonic, traits>;

// What elements of tensors are in memory (ElementTypes.h).
def Heddle_Element : Type<CPred<"::heddle::isElementType($_self)">,
    "f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1">;
// Elements of weights: those of tensors, and integers of 4 bits.
def Heddle_WeightElement : Type<CPred<"::heddle::isWeightElementType($_self)">,
    "f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i4, i8, i16, i32, i64, ui4, ui8, ui16, ui32, ui64 or i1">;
// Elements that ops compute with: all but floats of eight bits.
def Heddle_ComputedElement : Type<CPred<"::heddle::isComputedType($_self)">,
    "f32, f64, bf16, f16, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1">;
// A number of control flow.
def Heddle_Scalar : Type<CPred<"::heddle::isScalarType($_self)">,
    "f32, f64, bf16, f16, i8, i16, i32, i64 or i1">;
def Heddle_FloatElement
    : Type<AnyTypeOf<[F32, F64, BF16, F16]>.predicate, "f32, f64, bf16 or f16">;
// Elements of what is computed in f32 and rounded once: f64 is not among them.
def Heddle_SingleElement
    : Type<AnyTypeOf<[F32, BF16, F16]>.predicate, "f32, bf16 or f16">;
def Heddle_NumberElement : Type<
    And<[CPred<"!$_self.isInteger(1)">, Heddle_ComputedElement.predicate]>,
    "f32, f64, bf16, f16, i8, i16, i32, i64, ui8, ui16, ui32 or ui64">;
def Heddle_Tensor : RankedTensorOf<[Heddle_Element]>;
def Heddle_WeightTensor : RankedTensorOf<[Heddle_WeightElement]>;
def Heddle_ComputedTensor : RankedTensorOf<[Heddle_ComputedElement]>;
def Heddle_FloatTensor : RankedTensorOf<[Heddle_FloatElement]>;
def Heddle_SingleTensor : RankedTensorOf<[Heddle_SingleElement]>;
def Heddle_Indices : RankedTensorOf<[I32, I64]>;

def Heddle_HasStaticChannels : CPred<
    "!::llvm::cast<::mlir::ShapedType>($_self).getShape().empty() && "
    "!::mlir::ShapedType::isDynamic("
    "::llvm::cast<::mlir::ShapedType>($_self).getShape().back())">;
def Heddle_Activations : RankedTensorOf<[Heddle_FloatElement], [Heddle_HasStaticChannels],
    "tensor with static channels">;
// [batch, length, channels]
def Heddle_Tokens : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[3]>, Heddle_HasStaticChannels],
    "3D tensor with static channels">;
def Heddle_Vector : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[1]>, HasStaticShapePred], "static 1D tensor">;
def Heddle_Matrix : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[2]>, HasStaticShapePred], "static 2D tensor">;
// [batch, channels, rows, columns]
def Heddle_Images : RankedTensorOf<[Heddle_FloatElement], [HasAnyRankOfPred<[4]>]>;
// [out channels, in channels, taps], and [out channels, in channels, rows, columns]
def Heddle_Filter1D : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[3]>, HasStaticShapePred], "static 3D tensor">;
def Heddle_Filter2D : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[4]>, HasStaticShapePred], "static 4D tensor">;
// A matrix for each expert.
def Heddle_Matrices : RankedTensorOf<[Heddle_FloatElement],
    [HasAnyRankOfPred<[3]>, HasStaticShapePred], "static 3D tensor">;
// A number for each sequence.
def Heddle_Counts : TensorRankOf<[I32, I64], [1]>;
// A number for each token, or block of tokens, of each sequence.
def Heddle_NumbersOfTokens : TensorRankOf<[I32, I64], [2]>;

include "dialect/Heddle/WeightOps.td"
include "dialect/Heddle/LayerOps.td"
include "dialect/Heddle/PositionOps.td"
include "dialect/Heddle/RecurrentOps.td"
include "dialect/Heddle/LinearAttentionOps.td"
include "dialect/Heddle/ConvolutionOps.td"
include "dialect/Heddle/ExpertOps.td"
include "dialect/Heddle/DropoutOps.td"
include "dialect/Heddle/MaskOps.td"
include "dialect/Heddle/AttentionOps.td"
include "dialect/Heddle/CacheOps.td"
include "dialect/Heddle/ScoreOps.td"
include "dialect/Heddle/MultiHeadAttention.td"
include "dialect/Heddle/TransformerOps.td"
include "dialect/Heddle/GenericOps.td"
include "dialect/Heddle/ShapeOps.td"
include "dialect/Heddle/IndexingOps.td"
include "dialect/Heddle/ReductionOps.td"
include "dialect/Heddle/SamplingOps.td"
include "dialect/Heddle/ProductOps.td"
include "dialect/Heddle/QuantizationOps.td"
include "dialect/Heddle/KernelOps.td"
include "dialect/Heddle/HostOps.td"

#endif // HEDDLE_OPS_TD
