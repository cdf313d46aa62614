// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each op decomposes into: a function `decompose(Op, OpBuilder &)` in the
// file of its topic, and its name in the registration at the end of that file.

#ifndef HEDDLE_COMPILER_PREPARE_DECOMPOSITIONS_H
#define HEDDLE_COMPILER_PREPARE_DECOMPOSITIONS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

using Values = llvm::SmallVector<mlir::Value>;

/// Calls the function of the op's file, which a member of its name would hide.
template <typename Op> Values callDecompose(Op op, mlir::OpBuilder &builder) {
  return decompose(op, builder);
}

/// The model of an op that has such a function.
template <typename Op>
struct Decomposition
    : DecomposeOpInterface::ExternalModel<Decomposition<Op>, Op> {
  Values decompose(mlir::Operation *op, mlir::OpBuilder &builder) const {
    return callDecompose(llvm::cast<Op>(op), builder);
  }
};

/// Calls the function of the op's file that says whether it needs to be.
template <typename Op> bool callNeedsDecomposing(Op op) {
  return needsDecomposing(op);
}

/// The model of an op that kernels compute in some forms.
template <typename Op>
struct ConditionalDecomposition
    : DecomposeOpInterface::ExternalModel<ConditionalDecomposition<Op>, Op> {
  Values decompose(mlir::Operation *op, mlir::OpBuilder &builder) const {
    return callDecompose(llvm::cast<Op>(op), builder);
  }
  bool needsDecomposing(mlir::Operation *op) const {
    return callNeedsDecomposing(llvm::cast<Op>(op));
  }
};

template <typename... Ops>
void attachDecompositions(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Decomposition<Ops>>(*context), ...);
}

/// What each file registers.
void registerAttentionDecompositions(mlir::MLIRContext *context);
void registerCacheDecompositions(mlir::MLIRContext *context);
void registerConvolutionDecompositions(mlir::MLIRContext *context);
void registerCumulativeSumDecompositions(mlir::MLIRContext *context);
void registerDropoutDecompositions(mlir::MLIRContext *context);
void registerExpertDecompositions(mlir::MLIRContext *context);
void registerExtremaDecompositions(mlir::MLIRContext *context);
void registerIndexingDecompositions(mlir::MLIRContext *context);
void registerLayerDecompositions(mlir::MLIRContext *context);
void registerLikelyDecompositions(mlir::MLIRContext *context);
void registerLinearAttentionDecompositions(mlir::MLIRContext *context);
void registerMultiHeadAttentionDecompositions(mlir::MLIRContext *context);
void registerPoolingDecompositions(mlir::MLIRContext *context);
void registerPositionDecompositions(mlir::MLIRContext *context);
void registerProductDecompositions(mlir::MLIRContext *context);
void registerQuantizationDecompositions(mlir::MLIRContext *context);
void registerRecurrentDecompositions(mlir::MLIRContext *context);
void registerReductionDecompositions(mlir::MLIRContext *context);
void registerRotaryDecompositions(mlir::MLIRContext *context);
void registerSamplingDecompositions(mlir::MLIRContext *context);
void registerScoreDecompositions(mlir::MLIRContext *context);
void registerShapeDecompositions(mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_DECOMPOSITIONS_H
