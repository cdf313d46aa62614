// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each op decomposes into: one function an op, in the file that is named
// like the op's .td, and a line in Decompose.cpp.

#ifndef HEDDLE_COMPILER_PREPARE_DECOMPOSITIONS_H
#define HEDDLE_COMPILER_PREPARE_DECOMPOSITIONS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

using Values = llvm::SmallVector<mlir::Value>;

// DecomposeShape.cpp
Values decompose(TransposeOp op, mlir::OpBuilder &b);
Values decompose(ReshapeOp op, mlir::OpBuilder &b);
Values decompose(ExpandOp op, mlir::OpBuilder &b);
Values decompose(SqueezeOp op, mlir::OpBuilder &b);
Values decompose(SliceOp op, mlir::OpBuilder &b);
Values decompose(ConcatOp op, mlir::OpBuilder &b);
Values decompose(SplitOp op, mlir::OpBuilder &b);
Values decompose(PadOp op, mlir::OpBuilder &b);
Values decompose(BroadcastOp op, mlir::OpBuilder &b);

// DecomposeIndexing.cpp
Values decompose(GatherOp op, mlir::OpBuilder &b);
Values decompose(GatherElementsOp op, mlir::OpBuilder &b);
Values decompose(ScatterOp op, mlir::OpBuilder &b);
Values decompose(IotaOp op, mlir::OpBuilder &b);
Values decompose(OneHotOp op, mlir::OpBuilder &b);
Values decompose(WhereOp op, mlir::OpBuilder &b);
Values decompose(CastOp op, mlir::OpBuilder &b);

// DecomposeReduction.cpp
Values decompose(ReduceOp op, mlir::OpBuilder &b);
Values decompose(ArgReduceOp op, mlir::OpBuilder &b);
Values decompose(CumulativeSumOp op, mlir::OpBuilder &b);
Values decompose(SoftmaxOp op, mlir::OpBuilder &b);
Values decompose(LogSoftmaxOp op, mlir::OpBuilder &b);
Values decompose(TopKOp op, mlir::OpBuilder &b);

// DecomposeProduct.cpp
Values decompose(MatmulOp op, mlir::OpBuilder &b);

// DecomposeLayer.cpp
Values decompose(EmbeddingOp op, mlir::OpBuilder &b);
Values decompose(RMSNormOp op, mlir::OpBuilder &b);
Values decompose(LayerNormOp op, mlir::OpBuilder &b);
Values decompose(LinearOp op, mlir::OpBuilder &b);
Values decompose(ActivationOp op, mlir::OpBuilder &b);
Values decompose(GatedFeedForwardOp op, mlir::OpBuilder &b);
Values decompose(LastTokenOp op, mlir::OpBuilder &b);

// DecomposeRotary.cpp
Values decompose(RotaryOp op, mlir::OpBuilder &b);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_DECOMPOSITIONS_H
