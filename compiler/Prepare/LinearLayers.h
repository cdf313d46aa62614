// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layers, and those that are made of them.

#ifndef HEDDLE_COMPILER_PREPARE_LINEARLAYERS_H
#define HEDDLE_COMPILER_PREPARE_LINEARLAYERS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// A heddle.linear, or a heddle.expert_linear, which has a matrix for each
/// expert: sums over the last dimension of inputs and of matrices.
class LinearLayer {
public:
  static std::optional<LinearLayer> of(mlir::Operation *op);

  mlir::OpOperand &input() const;
  mlir::OpOperand &weight() const;
  /// The type of all matrices, and how many outputs and inputs each has.
  mlir::RankedTensorType type() const;
  int64_t outputs() const { return type().getShape().end()[-2]; }
  int64_t inputs() const { return type().getShape().back(); }
  /// The dimension of matrices that has the inputs.
  int64_t axis() const { return type().getRank() - 1; }

  /// Such a layer of others; without a bias if that is not to be.
  mlir::Value build(mlir::OpBuilder &b, mlir::Value input, mlir::Value weight,
                    bool hasBias) const;

  mlir::Operation *operator->() const { return op; }

private:
  explicit LinearLayer(mlir::Operation *op) : op(op) {}

  mlir::Operation *op;
};

/// All of a module.
llvm::SmallVector<LinearLayer> linearLayersOf(mlir::ModuleOp module);

/// Feed-forward and attention layers of `module`, and mixtures of experts, with
/// a matrix that `isConcerned` holds of become the linear ones that they mean.
void exposeLinearLayers(mlir::ModuleOp module,
                        llvm::function_ref<bool(mlir::Value)> isConcerned);

/// Products with a matrix that `isConcerned` holds of become the linear layers
/// that they are, in f32 where they are of narrower floats.
void exposeProducts(mlir::ModuleOp module,
                    llvm::function_ref<bool(mlir::Value)> isConcerned);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_LINEARLAYERS_H
