// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a heddle.generic at a point that a func computes.

#ifndef HEDDLE_COMPILER_LOWERING_GENERICBODY_H
#define HEDDLE_COMPILER_LOWERING_GENERICBODY_H

#include "compiler/Lowering/KernelBuilder.h"

#include "mlir/IR/IRMapping.h"

namespace heddle {

class GenericBodyEmitter {
public:
  GenericBodyEmitter(KernelBuilder &k, GenericOp op) : k(k), op(op) {}

  /// What the body yields at `point`, a coordinate for each dimension of the
  /// op. Accumulators may be null: what depends on them is undefined then.
  llvm::SmallVector<mlir::Value>
  emit(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> point,
       llvm::ArrayRef<mlir::Value> accumulators = {});

  /// Input `index` where it is read at `point`.
  mlir::Value emitInput(mlir::OpBuilder &b, unsigned index,
                        llvm::ArrayRef<mlir::Value> point);

private:
  mlir::Value emitAffine(mlir::OpBuilder &b, mlir::AffineExpr expression,
                         llvm::ArrayRef<mlir::Value> point);
  mlir::Value emitRead(mlir::OpBuilder &b, ReadOp read,
                       const mlir::IRMapping &mapping);
  bool isInside(mlir::Value coordinate, SizeAttr size);

  KernelBuilder &k;
  GenericOp op;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_GENERICBODY_H
