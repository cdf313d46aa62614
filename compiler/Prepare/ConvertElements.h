// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of `tensor` that read or write at numbers: what they become.

#ifndef HEDDLE_COMPILER_PREPARE_CONVERTELEMENTS_H
#define HEDDLE_COMPILER_PREPARE_CONVERTELEMENTS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle {

/// `input` with other dimensions of as many elements.
mlir::Value reshape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input,
                    const Sizes &sizes);

// Each creates ops before `op` and returns what they give, or reports why it
// has no meaning here.
mlir::FailureOr<mlir::Value> convert(mlir::tensor::ExtractSliceOp op,
                                     mlir::OpBuilder &b);
mlir::FailureOr<mlir::Value> convert(mlir::tensor::InsertSliceOp op,
                                     mlir::OpBuilder &b);
mlir::FailureOr<mlir::Value> convert(mlir::tensor::GenerateOp op,
                                     mlir::OpBuilder &b);
mlir::FailureOr<mlir::Value> convert(mlir::tensor::SplatOp op,
                                     mlir::OpBuilder &b);
mlir::FailureOr<mlir::Value> convert(mlir::tensor::FromElementsOp op,
                                     mlir::OpBuilder &b);
mlir::FailureOr<mlir::Value> convert(mlir::tensor::InsertOp op,
                                     mlir::OpBuilder &b);
/// The element as a tensor without dimensions; with computed indices outside of
/// the tensor, the nearest.
mlir::FailureOr<mlir::Value> convert(mlir::tensor::ExtractOp op,
                                     mlir::OpBuilder &b);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_CONVERTELEMENTS_H
