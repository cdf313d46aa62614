// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of transformers, of the ops that they consist of: what importers build
// and what heddle.encoder_layer and heddle.decoder_layer mean.

#ifndef HEDDLE_DIALECT_HEDDLE_LAYERBUILDERS_H
#define HEDDLE_DIALECT_HEDDLE_LAYERBUILDERS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// `x` with its channels normalised. The bias is a layer norm's, and may be
/// null.
mlir::Value createNorm(mlir::OpBuilder &builder, mlir::Location loc,
                       NormKind kind, mlir::Value x, mlir::Value weight,
                       mlir::Value bias, mlir::FloatAttr epsilon);

/// Matrices [outputs, inputs], and biases, which may be null. Without a gate
/// the layer is plain.
struct FeedForwardWeights {
  mlir::Value gate, up, down;
  mlir::Value gateBias, upBias, downBias;
};
mlir::Value createFeedForward(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value x, ActivationKind activation,
                              const FeedForwardWeights &weights);

/// A branch of a layer, and the norms around it, of which each may be absent.
/// All of them make null where they fail.
struct Branch {
  using Step = llvm::function_ref<mlir::Value(mlir::Value)>;
  Step normBefore, compute, normBehind, normOfSum;
};

/// `normOfSum(x + normBehind(compute(normBefore(x))))`, or null where a step is
/// null.
mlir::Value addBranch(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x, const Branch &branch);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_LAYERBUILDERS_H
